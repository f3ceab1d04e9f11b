"""Tables of the stage `boundaries`."""

from stages.core.intervals.held_out import CHOICE_COLUMNS, CHOICE_RESAMPLED, GAIN, RIVAL, SCORE
from stages.core.stage.tables import MeasuredTable

ACCURACY, F1 = "accuracy", "F1"
BEST_HEAD, ALL_HEADS = "best head", "all heads"
# What is said without looking: that every token ends a word, or that none does.
ALWAYS, NEVER = "always", "never"

# One row a score and reader: the best head, or the regression over all heads, held out, beside the
# better constant. `place` is the best head's layer and head on all texts.
BEST = MeasuredTable(
    "boundaries/{corpus}",
    ("encoder", "score", "reader", "place", "constant", *CHOICE_COLUMNS, "words", "hidden"),
    resampled=CHOICE_RESAMPLED,
)
# One row a size: positions that at least one of the best heads has right, held out, beside the same
# of as many heads drawn at random (`rival`).
UNIONS = MeasuredTable(
    "boundaries/{corpus}-unions",
    ("encoder", "heads", "places", "cases", "groups", *SCORE, *RIVAL, *GAIN),
    resampled=CHOICE_RESAMPLED,
)
# One row: how many stretches of the coarser of two of the best heads are whole stretches of the
# finer, mean over pairs, held out, beside what chance gives (`rival`).
NESTED = MeasuredTable(
    "boundaries/{corpus}-nested",
    ("encoder", "heads", "cases", "groups", *SCORE, *RIVAL, *GAIN),
    resampled=CHOICE_RESAMPLED,
)
# One row a pair of the best heads on all texts.
PAIRS = MeasuredTable(
    "boundaries/{corpus}-pairs",
    (
        "encoder",
        "coarser",
        "finer",
        "coarser_marks",
        "finer_marks",
        "disagreement",
        "coarser_alone",
        "stretches",
        "nested",
        "by_chance",
    ),
)
# One row a head: its scores on all texts, and the share of positions at which it marks an end.
HEADS = MeasuredTable(
    "boundaries/{corpus}-heads",
    ("encoder", "layer", "head", "accuracy", "F1", "marks", "ends", "cases"),
)
