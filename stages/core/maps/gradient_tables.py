"""Tables of gradients of attention weights (`weight_gradients`), which two rooms write."""

from stages.core.tables import Table, Value, count

TOKEN_KINDS = ("cls", "sep", "punctuation", "words")
# The values of `layer_table`, means over heads and texts.
GRADIENT_VALUES = {
    "summed": Value(
        "gradient of all weights together", format=".2g", interval=True, resampled=True
    ),
    "per_weight": Value("gradient of one weight", format=".2g", interval=True, resampled=True),
    "attention": Value("attention to the kind", "share", ".1%", (0, 1), interval=True),
    "texts": count("texts"),
}
GRADIENT_COLUMNS = ("summed", "per_weight", "attention")
# One row a layer and kind of token: gradients of the loss of masked words on a corpus. The stage
# `surface` writes it; without an MLM head it has no rows.
MASKED = Table("surface/masked", keys="data arm layer kind", values=GRADIENT_VALUES)
