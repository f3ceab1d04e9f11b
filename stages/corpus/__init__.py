"""Annotated texts: a reader for each source."""
