"""Runs many examples with heads off, and no part of the encoder more than it must."""
