"""What the stage `features` writes: attention to kinds of tokens, before and after tuning."""

from stages.core.intervals.held_out import CHOICE_COLUMNS, CHOICE_RESAMPLED
from stages.core.stage.tables import MeasuredTable, interval_names

# Of several tokens of a kind: the one that gets most (the source's way), or all together.
AGGREGATES = ("maximum", "sum")

# One row an arm, kind, aggregate and head; changes are by tuning, and of no other arm.
HEADS = MeasuredTable(
    "features/{task}",
    (
        "arm",
        "kind",
        "aggregate",
        "layer",
        "head",
        *interval_names(value="share"),
        *interval_names("change", value="share"),
        "examples",
    ),
)
# One row an arm, kind, aggregate and example that has the kind: what it gets, mean over heads, and
# over those of the lower (early) and the upper half of the layers (late).
SHARES = MeasuredTable(
    "features/{task}-shares", ("arm", "kind", "aggregate", "id", "share", "early", "late")
)
# The same of what tuning changes: tuned less untuned; `change` is absolute.
CHANGES = MeasuredTable(
    "features/{task}-changes",
    ("kind", "aggregate", "id", "change", "early_change", "late_change"),
)
# One row a kind and aggregate: the head in which it gains most by tuning, held out.
RISES = MeasuredTable(
    "features/{task}-rises",
    ("kind", "aggregate", "layer", "head", *CHOICE_COLUMNS),
    resampled=CHOICE_RESAMPLED,
)
# One row an arm, kind and aggregate: what [CLS] gives to it in the last layer.
CLS = MeasuredTable(
    "features/{task}-cls",
    ("arm", "kind", "aggregate", *interval_names(value="share"), "examples"),
    resampled=("share",),
)
# One row an arm and head: what words that stand in both texts of a pair gain, across them; no rows
# where the task has single texts.
MATCHES = MeasuredTable(
    "features/{task}-matches",
    ("arm", "layer", "head", *interval_names(value="gain"), "texts"),
    resampled=("gain",),
)
