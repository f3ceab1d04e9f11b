"""Sentences of known structure for probes and attention (Lin et al. 2019, sections 3 and 4)."""
