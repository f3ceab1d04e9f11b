"""Tables of the stage `frames`."""

from stages.core.intervals.held_out import CHOICE_COLUMNS, CHOICE_RESAMPLED
from stages.core.maps.link_tables import CHOSEN_COLUMNS, WEIGHT_COLUMNS
from stages.core.stage.tables import MeasuredTable

# One row a head: its weight on linked tokens, and on tokens as far apart.
HEADS = MeasuredTable("frames/{corpus}", WEIGHT_COLUMNS)
# One row an encoder: the head that links most, scored held out.
BEST = MeasuredTable(
    "frames/{corpus}-best", (*CHOSEN_COLUMNS, *CHOICE_COLUMNS), resampled=CHOICE_RESAMPLED
)
