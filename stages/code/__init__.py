"""Which source files each stage runs, and their sums: a stage whose own changed runs anew."""
