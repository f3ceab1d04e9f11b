"""Heads that mark the ends of words in text without spaces (query-title study, section 2.2)."""
