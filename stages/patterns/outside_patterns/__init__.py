"""The pattern classifier on labelled maps outside of those that it learnt from (K2, K3)."""
