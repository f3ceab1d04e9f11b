"""Tables of the stage `confusion`, and the names of its conditions."""

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
from stages.core.tables import Table, Value, count, name

# Keys: phenomenon, place of the distractors, number of distractors that agree, and the auxiliary.
# Values: the condition's name in Lin et al. 2019 (Table 2). Their agreement conditions have "does";
# a modal shows no number. In R6 and R7 one distractor agrees: the object or the clause's noun.
# "far" is an object behind a clause without a noun; the release has it among R3 and R4.
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
EVERY_LAYER = -1  # in place of a layer: the mean over layers, or a head selected from all layers
MEAN, LEAST = "mean of heads", "least confused head"

# One row a condition, layer and kind of `heads`.
CONDITIONS = Table(
    "confusion/conditions",
    keys="data arm phenomenon condition heads layer",
    values={
        "modifier": name("place of the distractors"),
        "auxiliary": name("auxiliary"),
        "distractors": count("distractors"),
        "matching": count("distractors that agree"),
        "best": name("least confused head on all sentences"),
        "confusion": Value("confusion", "bits", bounds=(0, None), interval=True, resampled=True),
        "chance": Value("confusion of equal attention", "bits", bounds=(0, None)),
        "sentences": count("sentences"),
        "items": count("lexical items"),
    },
)
# One row a phenomenon and head: mean over conditions.
HEADS = Table(
    "confusion/heads",
    keys="data arm phenomenon layer head",
    values={"beyond_chance": Value("confusion minus that of equal attention", "bits", "+.2f")},
)
