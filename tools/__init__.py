"""What a developer runs and no stage does."""
