"""Stimuli of Lin et al. 2019: sentences whose structure is known, generated here or released."""
