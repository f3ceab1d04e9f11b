"""Attention between verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, 4.5)."""
