"""Heads that tell the order of words, and grades of shuffled titles (query-title study, 2.3)."""
