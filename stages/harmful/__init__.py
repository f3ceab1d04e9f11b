"""Heads that hurt: found on one half of the examples, removed together, scored on the other."""
