"""Heads, layers and shares of heads off (Kovaleva et al. 4.6; query-title study 2.1, 2.4.2)."""
