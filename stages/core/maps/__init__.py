"""Attention maps: on disk, from an encoder, between words, and what is measured on them."""
