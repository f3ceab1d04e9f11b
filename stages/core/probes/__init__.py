"""Probes that read a dependency tree off attention (Clark et al. 2019, section 5)."""
