"""Tables of the stage `neurons`."""

from stages.core.stage.tables import MeasuredTable, interval_names

SHARE = "share"  # share_1, share_2, and so on: of the 1, 2, ... largest neurons

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
