"""Heads off on many examples, each part of the encoder run no more than it must."""
