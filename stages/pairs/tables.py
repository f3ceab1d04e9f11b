"""Tables of the stage `pairs`."""

from stages.core.maps.link_tables import CHOSEN_COLUMNS, WEIGHT_COLUMNS
from stages.core.stage.tables import MeasuredTable, interval_names

# What the rows of all tables are of: the kind of pair, how words are paired, and how several pairs
# of a text become one weight.
WHICH = ("kind", "pairing", "aggregate")
# One row a head: its weight on pairs, and on tokens as far apart.
HEADS = MeasuredTable("pairs/{corpus}", (*WEIGHT_COLUMNS, *WHICH))
# One row an encoder: the head that gives most to pairs, and how much of that goes to moved pairs.
BEST = MeasuredTable(
    "pairs/{corpus}-best",
    (*CHOSEN_COLUMNS, *interval_names(value="value"), "same", "texts", *WHICH),
)
# One row an encoder: how many of the heads that give most to pairs are diagonal ones (`share`), how
# many of all heads are (`chance`), and the difference of both (`excess`), held out.
CANDIDATES = MeasuredTable(
    "pairs/{corpus}-candidates",
    (
        "encoder",
        "heads",
        "candidates",
        "diagonal",
        "both",
        *interval_names("share"),
        *interval_names("chance"),
        *interval_names("excess"),
        "texts",
        *WHICH,
    ),
    resampled=("share", "chance", "excess"),
)
