"""Gradients of the loss with respect to attention weights (Clark et al. 2019, section 3.2)."""
