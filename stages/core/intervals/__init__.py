"""Uncertainty: bootstraps, groups of texts, choices that are held out."""
