"""How far tuning moves each head (Kovaleva et al. 2019, section 4.3)."""
