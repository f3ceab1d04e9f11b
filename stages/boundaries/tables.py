"""Tables of the stage `boundaries`."""

from stages.core.intervals.held_out import choice_values
from stages.core.tables import Table, Value, count, name

ACCURACY, F1 = "accuracy", "F1"
BEST_HEAD, ALL_HEADS = "best head", "all heads"
# Readers that do not look: every token ends a word, or none does.
ALWAYS, NEVER = "always", "never"

SHARE = {"unit": "share", "format": ".1%", "bounds": (0, 1)}


def against(rival: str) -> dict[str, Value]:
    """The values of a held-out share and its rival; nothing says whether halves agree."""
    values = choice_values("share", rival)
    return {column: value for column, value in values.items() if column != "same"}


# One row a metric and reader: the best head, or the regression over all heads, held out, beside the
# better constant.
BEST = Table(
    "boundaries/best",
    keys="data arm metric reader",
    values={
        "place": name("best head on all texts"),
        "constant": name("better constant"),
        **choice_values("score", "score of the better constant"),
        "words": count("words"),
        "hidden": count("words in which no token begins"),
    },
)
# One row a size: positions at which at least one of the best heads is right, held out, beside
# random heads (`rival`).
UNIONS = Table(
    "boundaries/unions",
    keys="data arm heads",
    values={"places": name("best heads on all texts"), **against("share of random heads")},
)
# One row: stretches of the coarser of two of the best heads that are whole stretches of the finer,
# mean over pairs, held out, beside chance (`rival`).
NESTED = Table(
    "boundaries/nested",
    keys="data arm",
    values={"heads": count("heads"), **against("share by chance")},
)
# One row a pair of the best heads on all texts.
PAIRS = Table(
    "boundaries/pairs",
    keys="data arm coarser finer",
    values={
        "coarser_marks": Value("positions that the coarser marks", **SHARE),
        "finer_marks": Value("positions that the finer marks", **SHARE),
        "disagreement": Value("positions at which they disagree", **SHARE),
        "coarser_alone": Value("disagreements at which the coarser alone marks an end", **SHARE),
        "stretches": count("stretches of the coarser"),
        "nested": Value("stretches made of the finer's", **SHARE),
        "by_chance": Value("stretches made of the finer's by chance", **SHARE),
    },
)
# One row a head: its scores on all texts.
HEADS = Table(
    "boundaries/heads",
    keys="data arm layer head",
    values={
        "accuracy": Value("positions that are right", **SHARE),
        "F1": Value("F1 over words", bounds=(0, 1)),
        "marks": Value("positions marked as an end", **SHARE),
        "ends": Value("positions that end a word", **SHARE),
        "cases": count("positions"),
    },
)
