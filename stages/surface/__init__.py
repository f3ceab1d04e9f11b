"""What heads look at on the surface of a text (Clark et al. 2019, 3; Vig 2019)."""
