"""Tables of the stage `coreference`."""

from stages.core.intervals.held_out import choice_values
from stages.core.tables import Table, Value, count

ALL_KINDS = "all"  # in place of a kind of mention

# One row a kind of mention and rule: the best head, scored held out, beside the rule.
BEST = Table(
    "coreference/best",
    keys="data arm kind rule layer head",
    values=choice_values("accuracy", "accuracy of the rule"),
)
# One row a kind of mention and head: its accuracy on all cases.
HEADS = Table(
    "coreference/heads",
    keys="data arm layer head kind",
    values={
        "accuracy": Value("accuracy", "share", ".1%", (0, 1)),
        "cases": count("mentions"),
    },
)
