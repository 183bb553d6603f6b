"""Train models on labelled pages. This needs the extra `train`."""
