"""The pattern class of every head's maps on a corpus (Kovaleva et al. 2019, section 4.1)."""
