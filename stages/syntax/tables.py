"""Tables of the stage `syntax`."""

from stages.core.intervals.held_out import choice_values
from stages.core.tables import Table, Value, count, flag, name

# In place of a relation: all words that have a head in the text; every word, as Clark et al. count
# them, punctuation and roots among them; possessors as their code has it, for which the 's speaks.
ALL_RELATIONS = "all"
ALL_WORDS = "all words"
POSSESSIVE = "nmod:poss"
POSSESSIVE_CLITIC = "nmod:poss, by its 's"
# Those that Clark et al. 2019 (Table 1) report: the best head of each layer is chosen for these.
REPORTED = (
    ALL_RELATIONS,
    ALL_WORDS,
    "prep",
    "case",
    "det",
    "compound",
    "nsubj",
    "amod",
    "obj",
    "advmod",
    "aux",
    POSSESSIVE,
    POSSESSIVE_CLITIC,
    "aux:pass",
    "ccomp",
    "mark",
    "compound:prt",
)
ALL_LAYERS = "all layers"  # what the best head is chosen within, where it is not one layer

# One row a relation and what its best head is chosen within: that head, scored held out, beside
# the best fixed offset.
BEST = Table(
    "syntax/best",
    keys="data arm relation within layer head",
    values={
        "direction": name("direction"),
        "offset": Value("best offset", format="+d", type="int64"),
        **choice_values("accuracy", "accuracy of the best offset"),
    },
)
# One row a relation and head: its accuracy on all cases, in the better direction.
HEADS = Table(
    "syntax/heads",
    keys="data arm layer head relation",
    values={
        "direction": name("direction"),
        "accuracy": Value("accuracy", "share", ".1%", (0, 1)),
        "offset_accuracy": Value("accuracy of the best offset", "share", ".1%", (0, 1)),
        "cases": count("words"),
    },
)
# One row a relation: how much its best head gives to [SEP].
TO_SEP = {"unit": "share", "format": ".1%", "interval": True, "resampled": True}
SEPARATORS = Table(
    "syntax/separators",
    keys="data arm relation layer head",
    values={
        "direction": name("direction"),
        "lacking": Value("from words that lack the relation", bounds=(0, 1), **TO_SEP),
        "having": Value("from words that have the relation", bounds=(0, 1), **TO_SEP),
        "gain": Value("difference", **TO_SEP),
        "words_lacking": count("words that lack the relation"),
        "words_having": count("words that have the relation"),
        "same": flag("same choice in all halves"),
    },
)
