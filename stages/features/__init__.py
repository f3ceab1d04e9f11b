"""Attention to kinds of words before and after tuning (Kovaleva et al. 4.4, 4.5)."""
