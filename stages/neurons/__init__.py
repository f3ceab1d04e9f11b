"""How a head computes its pattern (Vig 2019, part two)."""
