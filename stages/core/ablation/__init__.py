"""The grid of heads that are off, and its outcomes."""
