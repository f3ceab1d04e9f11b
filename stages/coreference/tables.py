"""Tables of the stage `coreference`."""

from stages.core.intervals.held_out import CHOICE_COLUMNS, CHOICE_RESAMPLED
from stages.core.stage.tables import MeasuredTable

ALL_KINDS = "all"  # in place of a kind of mention

# One row a kind of mention and rule: the best head, scored held out, beside the rule.
BEST = MeasuredTable(
    "coreference/{corpus}",
    ("encoder", "kind", "rival", "layer", "head", *CHOICE_COLUMNS),
    resampled=CHOICE_RESAMPLED,
)
# One row a kind of mention and head: its accuracy on all cases.
HEADS = MeasuredTable(
    "coreference/{corpus}-heads",
    ("encoder", "layer", "head", "kind", "accuracy", "cases"),
)
