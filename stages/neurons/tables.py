"""Tables of the stage `neurons`."""

from stages.core.stage.tables import MeasuredTable, interval_names

SHARE = "share"  # share_1, share_2, and so on: of the 1, 2, ... largest neurons
STRENGTH = "strength"
WITHOUT = "without"  # without_position, without_segment: strength without these embeddings

# One row a head: the share of its score that the largest neurons carry, and how constant signs are.
NEURONS = MeasuredTable(
    "neurons/{corpus}",
    ("encoder", "layer", "head", "neurons", *interval_names("sign_consistency")),
    numbered=(SHARE,),
)
# One row a removed embedding, pattern and head: its strength before, and the change.
REMOVED = MeasuredTable(
    "neurons/{corpus}-removed",
    (
        "encoder",
        "layer",
        "head",
        "removed",
        "pattern",
        *interval_names("strength"),
        *interval_names("change"),
    ),
)
# One row a pattern and measure: the mean over the heads that follow the pattern most on one half of
# the texts, on the other half. Rows of random weights are of the same places.
CHOSEN = MeasuredTable(
    "neurons/{corpus}-chosen",
    ("encoder", "pattern", "measure", *interval_names(value="value"), "heads", "texts"),
    resampled=("value",),
)
