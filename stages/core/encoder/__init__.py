"""From a checkpoint and texts to a model and batches."""
