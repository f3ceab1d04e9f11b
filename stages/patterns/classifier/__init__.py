"""Learning to tell the five attention patterns apart (Kovaleva et al. 2019, section 4.1)."""
