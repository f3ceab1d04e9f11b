"""Which heads are alike (Clark et al. 2019, section 6)."""
