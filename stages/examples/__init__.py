"""Few recorded examples with their attention maps, to be looked at (Vig 2019, part one)."""
