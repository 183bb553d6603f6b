"""What makes the shipped models and weights: not part of the package, and not needed to use it or to train models."""
