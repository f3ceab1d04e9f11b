"""Tables of the stage `pairs`."""

from stages.core.maps.links import MOVED_SHARE_COLUMNS, WEIGHT_COLUMNS
from stages.core.stage.tables import MeasuredTable

# One row a head, kind of pair and pairing: its weight on pairs, and on tokens as far apart.
HEADS = MeasuredTable("pairs/{corpus}", (*WEIGHT_COLUMNS, "kind", "pairing"))
# One row a kind of pair and pairing: the head that gives most to pairs, and how much of that goes
# to moved pairs as well.
BEST = MeasuredTable("pairs/{corpus}-best", (*MOVED_SHARE_COLUMNS, "kind", "pairing"))
