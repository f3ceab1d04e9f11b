"""Heads that find syntactic heads (Clark et al. 2019, section 4.2)."""
