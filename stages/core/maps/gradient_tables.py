"""Tables of gradients of attention weights (`weight_gradients`), which two rooms write."""

from stages.core.stage.tables import MeasuredTable, interval_names

TOKEN_KINDS = ("cls", "sep", "punctuation", "words")
GRADIENT_COLUMNS = ("summed", "per_weight", "attention")
# The columns of `layer_table`: one row a layer and kind of token.
LAYER_COLUMNS = (
    "layer",
    "kind",
    *(column for name in GRADIENT_COLUMNS for column in interval_names(name)),
    "texts",
)
# Those that claims compare, so that the tables have their resamples.
LAYER_RESAMPLED = ("summed", "per_weight")
# One row a layer and kind of token: gradients of the loss of masked words on a corpus. The stage
# `surface` writes it; without an MLM head it has no rows.
MASKED = MeasuredTable(
    "surface/{corpus}-masked", (*LAYER_COLUMNS, "encoder"), resampled=LAYER_RESAMPLED
)
