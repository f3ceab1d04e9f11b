"""Tables of the stage `clusters`."""

from stages.core.stage.tables import MeasuredTable, interval_names

# One row a head: its place in the picture.
HEADS = MeasuredTable("clusters/{corpus}", ("encoder", "layer", "head", "x", "y"))
# One row an encoder: the share of a head's nearest heads that are of its layer, and by chance.
PURITY = MeasuredTable(
    "clusters/{corpus}-purity",
    (
        "encoder",
        "purity",
        *interval_names("chance"),
        "p",
        "neighbours",
        "stress",
        "texts",
    ),
)
