"""What the stage `corpus` writes beside the texts."""

from stages.core.stage.tables import MeasuredTable

# One row: how many texts, annotated words, tokens and unknown tokens it has.
CORPUS_SIZES = MeasuredTable("corpus/{corpus}", ("texts", "words", "tokens", "unknown"))
