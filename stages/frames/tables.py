"""Tables of the stage `frames`."""

from stages.core.intervals.held_out import choice_values
from stages.core.maps.link_tables import CHOSEN_VALUES, WEIGHT_VALUES
from stages.core.tables import Table

# One row a head: its weight on linked tokens, and on tokens as far apart.
HEADS = Table("frames/heads", keys="data arm layer head", values=WEIGHT_VALUES)
# One row an encoder: the head that links most, scored held out. Its rival is 0.
BEST = Table(
    "frames/best",
    keys="data arm layer head",
    values=CHOSEN_VALUES
    | choice_values("weight on links beyond moved links", "zero", unit="", form="+.2f"),
)
