"""Importance of heads by the gradients of their gates (Michel et al. 2019)."""
