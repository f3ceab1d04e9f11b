"""Heads that find antecedents (Clark et al. 2019, section 4.3)."""
