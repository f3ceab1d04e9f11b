"""Attention on a corpus as one stream: from an encoder, or from maps recorded elsewhere."""
