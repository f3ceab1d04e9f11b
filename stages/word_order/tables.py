"""What the stage `word_order` writes: order heads, and grades under every condition."""

from typing import Literal

from stages.core.stage.tables import MeasuredTable, interval_names

Unit = Literal["words", "pieces"]  # of a second text: what is exchanged

# Texts that are graded.
INTACT, INTACT_OFF = "intact", "intact, order heads off"
SHUFFLED, SHUFFLED_OFF = "shuffled", "shuffled, order heads off"
SHUFFLED_RANDOM = "shuffled, random heads off"
CONDITIONS = (INTACT, INTACT_OFF, SHUFFLED, SHUFFLED_OFF, SHUFFLED_RANDOM)

# Quantities: the score of the order heads, where nothing chose them; differences of mean grades;
# shares.
SCORE = "score of order heads"
FALL = "shuffled less intact"
ORDER_RISE = "order heads off less on, shuffled"
RANDOM_RISE = "random heads off less on, shuffled"
RISE_BEYOND = "order heads off less random heads off, shuffled"
INTACT_RISE = "order heads off less on, intact"
SPARED = "what shuffling costs less with order heads off"
FALLEN = "share of texts whose grade falls"
ORDER_BACK = "share of fallen texts that come back, order heads off"
RANDOM_BACK = "share of fallen texts that come back, random heads off"
BACK_BEYOND = "share of fallen texts that come back, order heads less random heads"
AMONG_FALLEN = (ORDER_BACK, RANDOM_BACK, BACK_BEYOND)

# One row a seed, unit, arm, layer and head: what units of the second text give to a neighbour, in
# the direction in which the head scores more on the pairs that choose. `chosen` are order heads.
HEADS = MeasuredTable(
    "word_order/{task}-heads",
    (
        "seed",
        "arm",
        "unit",
        "layer",
        "head",
        "direction",
        "intact",
        "by_position",
        "former",
        *interval_names("score"),
        "chosen",
    ),
)
# One row a seed, unit, arm and quantity. Random weights have the score alone. `examples` is the
# number of pairs that the value is a mean over.
QUANTITIES = MeasuredTable(
    "word_order/{task}",
    ("seed", "arm", "unit", "quantity", *interval_names(value="value"), "examples"),
    resampled=("value",),
)
# One row a seed, unit, condition and grade: the share of pairs with that grade.
GRADES = MeasuredTable(
    "word_order/{task}-grades",
    ("seed", "unit", "condition", "place", "grade", *interval_names(value="share")),
)
# One row a seed, unit and condition: the mean grade, and what it is a mean over.
MEANS = MeasuredTable(
    "word_order/{task}-means",
    ("seed", "unit", "condition", *interval_names(value="mean"), "examples", "draws"),
)
# One row a seed and unit: validation pairs, those of them that have no other order, the share of
# places with another content in the exchanged texts, how many heads are off, from the lowest to the
# highest grade how many steps, and whether the task is written here.
TEXTS = MeasuredTable(
    "word_order/{task}-texts",
    ("seed", "unit", "pairs", "without_other_order", "exchanged", "heads_off", "steps", "written"),
)
