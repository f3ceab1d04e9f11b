"""Heads that link predicates and frame elements (Kovaleva et al. 2019, section 4.2)."""
