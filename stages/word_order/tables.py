"""Tables of the stage `word_order`: order heads, and grades under every condition."""

from typing import Literal

from stages.core.tables import Table, Value, count, flag, name

Unit = Literal["words", "pieces"]  # of a second text; units are exchanged
UNITS = ("words", "pieces")

# Conditions under which texts are graded.
INTACT, INTACT_ABLATED = "intact", "intact, order heads ablated"
SHUFFLED, SHUFFLED_ABLATED = "shuffled", "shuffled, order heads ablated"
SHUFFLED_RANDOM = "shuffled, random heads ablated"
CONDITIONS = (INTACT, INTACT_ABLATED, SHUFFLED, SHUFFLED_ABLATED, SHUFFLED_RANDOM)
# Differences of mean grades: shuffled minus intact texts; ablation of heads on shuffled texts, and
# on intact texts; order heads minus random heads; shuffled minus intact texts.
FALL = "shuffled"
ORDER_RISE, RANDOM_RISE = "order heads ablated", "random heads ablated"
INTACT_RISE = "order heads ablated, intact"
RISE_BEYOND = "order heads ablated, beyond random"
SPARED = "order heads ablated, beyond intact"
# Texts: those that are graded lower when shuffled; of these, those that come back by a grade if
# order or random heads are ablated; the difference of both.
FALLEN = "fallen"
ORDER_BACK, RANDOM_BACK, BACK_BEYOND = "order", "random", "beyond random"

SHARE = {"unit": "share", "format": ".2f"}
HEADS = Table(
    "word_order/heads",
    keys="data seed arm unit layer head",
    values={
        "score": Value("score", bounds=(-1, 1), interval=True),
        "intact": Value("attention to the neighbour in the intact text", bounds=(0, 1), **SHARE),
        "by_position": Value("to the neighbour in the shuffled text", bounds=(0, 1), **SHARE),
        "former": Value("to the former neighbour", bounds=(0, 1), **SHARE),
        "direction": name("direction"),
        "selected": flag("order head"),
    },
)
# The mean score of the order heads. Random weights select heads of their own.
SCORES = Table(
    "word_order/scores",
    keys="data seed arm unit",
    values={
        "score": Value(
            "score of the order heads", format=".3f", bounds=(-1, 1), interval=True, resampled=True
        ),
        "examples": count("examples"),
    },
)
CHANGES = Table(
    "word_order/changes",
    keys="data seed arm unit difference",
    values={
        "change": Value(
            "change of the mean grade", "grades", "+.2f", interval=True, resampled=True
        ),
        "examples": count("examples"),
    },
)
RETURNS = Table(
    "word_order/returns",
    keys="data seed arm unit texts",
    values={
        "share": Value("share of texts", "share", ".1%", (-1, 1), interval=True, resampled=True),
        "examples": count("examples"),
    },
)
GRADES = Table(
    "word_order/grades",
    keys="data seed arm unit condition grade",
    values={
        "share": Value("share of texts", "share", ".1%", (0, 1), interval=True),
        "rank": count("rank of the grade"),
    },
)
MEANS = Table(
    "word_order/means",
    keys="data seed arm unit condition",
    values={
        "mean_grade": Value("mean grade", "grades", interval=True),
        "examples": count("examples"),
        "draws": count("draws of heads"),
    },
)
TEXTS = Table(
    "word_order/texts",
    keys="data seed arm unit",
    values={
        "pairs": count("validation pairs"),
        "without_other_order": count("pairs without another order"),
        "exchanged": Value("exchanged positions", "share", ".0%", (0, 1)),
        "heads_ablated": count("ablated heads"),
        "steps": Value("steps from the lowest to the highest grade", format=".0f"),
        "written": flag("texts of a template"),
    },
)
