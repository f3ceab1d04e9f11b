"""Gates on heads, and where they act in an encoder."""
