"""Tables of the stage `clusters`."""

from stages.core.stage.tables import MeasuredTable, interval_names

# One row a head: its place in the picture. No rows, here and below, of an encoder of one head.
HEADS = MeasuredTable("clusters/{corpus}", ("encoder", "layer", "head", "x", "y"))
# One row an encoder: the share of a head's nearest heads that are of its layer, by chance (the
# range of shuffled layers), and by how much it is above that.
PURITY = MeasuredTable(
    "clusters/{corpus}-purity",
    (
        "encoder",
        "purity",
        *interval_names("chance"),
        *interval_names("above"),
        "p",
        "neighbours",
        "stress",
        "texts",
    ),
    resampled=("above",),
)
