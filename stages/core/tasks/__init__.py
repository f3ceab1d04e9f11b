"""Tasks: what is predicted, on which examples, how it is scored."""
