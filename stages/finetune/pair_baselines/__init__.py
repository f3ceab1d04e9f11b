"""Models of pairs beside the encoder (query-title study, sections 1 and 2.4)."""
