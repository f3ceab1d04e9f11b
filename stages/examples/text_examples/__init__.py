"""Few texts of a corpus with their attention maps, to be looked at (Vig 2019, part one)."""
