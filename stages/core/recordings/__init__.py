"""Attention as one stream of batches: from an encoder that runs, or from maps on disk."""
