"""Tables of the stage `confusion`, and what its conditions are called."""

from stages.core.stage.tables import MeasuredTable, interval_names
from stages.core.stimuli.store import (
    AGREEING,
    AGREEMENT,
    CLAUSE_AND_OBJECT,
    FAR_OBJECT,
    MODAL,
    OBJECT,
    PREPOSITIONAL,
    REFLEXIVE,
    RELATIVE,
)

# By phenomenon, place of the distractors, how many of them agree, and the auxiliary: the name that
# Lin et al. 2019 (Table 2) give to the condition. Theirs of agreement are with "does"; a modal
# shows no number. Of R6 and R7 one distractor agrees, the object or the clause's noun. "far": an
# object behind a clause without a noun, which the release has among R3 and R4.
NAMES = {
    (AGREEMENT, PREPOSITIONAL, 1, AGREEING): "A1",
    (AGREEMENT, PREPOSITIONAL, 0, AGREEING): "A2",
    (AGREEMENT, RELATIVE, 1, AGREEING): "A3",
    (AGREEMENT, RELATIVE, 0, AGREEING): "A4",
    (AGREEMENT, PREPOSITIONAL, 1, MODAL): "A1 modal",
    (AGREEMENT, PREPOSITIONAL, 0, MODAL): "A2 modal",
    (AGREEMENT, RELATIVE, 1, MODAL): "A3 modal",
    (AGREEMENT, RELATIVE, 0, MODAL): "A4 modal",
    (REFLEXIVE, OBJECT, 1, MODAL): "R1",
    (REFLEXIVE, OBJECT, 0, MODAL): "R2",
    (REFLEXIVE, FAR_OBJECT, 1, MODAL): "R1 far",
    (REFLEXIVE, FAR_OBJECT, 0, MODAL): "R2 far",
    (REFLEXIVE, RELATIVE, 1, MODAL): "R3",
    (REFLEXIVE, RELATIVE, 0, MODAL): "R4",
    (REFLEXIVE, CLAUSE_AND_OBJECT, 2, MODAL): "R5",
    (REFLEXIVE, CLAUSE_AND_OBJECT, 1, MODAL): "R6, R7",
    (REFLEXIVE, CLAUSE_AND_OBJECT, 0, MODAL): "R8",
}
EVERY_LAYER = -1  # in place of a layer: the mean over layers, or a head chosen among those of all
MEAN, LEAST = "mean of heads", "least confused head"
CONFUSION = interval_names(value="confusion")

# One row a condition, layer and kind of `heads`: its confusion in bits. `chance` is that of equal
# attention to all candidates; `best` the least confused head (layer-head) on all sentences.
CONDITIONS = MeasuredTable(
    "confusion/{set}",
    (
        "encoder",
        "phenomenon",
        "condition",
        "modifier",
        "auxiliary",
        "distractors",
        "matching",
        "heads",
        "layer",
        "best",
        *CONFUSION,
        "chance",
        "sentences",
        "items",
    ),
    resampled=("confusion",),
)
# One row a phenomenon and head: its confusion, mean over conditions, less that of chance.
HEADS = MeasuredTable(
    "confusion/{set}-heads",
    ("encoder", "phenomenon", "layer", "head", "beyond_chance"),
)
