"""Training models on labelled pages; needs the extra `train`."""
