"""Tables of the stage `syntax`."""

from stages.core.intervals.held_out import CHOICE_COLUMNS
from stages.core.stage.tables import MeasuredTable

ALL_RELATIONS = "all"  # in place of a relation
ALL_LAYERS = "all layers"  # what the best head is chosen within, where it is not one layer

# One row a relation and what its best head is chosen within: that head, scored held out, beside
# the best fixed offset.
BEST = MeasuredTable(
    "syntax/{corpus}",
    (
        "encoder",
        "relation",
        "within",
        "layer",
        "head",
        "direction",
        "offset",
        *CHOICE_COLUMNS,
    ),
)
# One row a relation and head: its accuracy on all cases, in the better direction.
HEADS = MeasuredTable(
    "syntax/{corpus}-heads",
    (
        "encoder",
        "layer",
        "head",
        "relation",
        "direction",
        "accuracy",
        "offset_accuracy",
        "cases",
    ),
)
