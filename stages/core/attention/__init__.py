"""Attention maps on disk and what is measured of them as they stream by."""
