"""Heads that match equal terms across a pair, and the head that reads them (query-title, 2.4)."""
