"""From measures to claims that hold or fail."""
