"""Tables of the stage `pairs`.

Their rows are of a kind of pair, a way to pair words, and an aggregate: how several pairs of a text
become one weight.
"""

from stages.core.maps.link_tables import CHOSEN_VALUES, WEIGHT_VALUES
from stages.core.tables import Table, Value, count, flag

SHARE = {"unit": "share", "format": ".1%", "interval": True}
# One row a head: its weight on pairs, and on tokens as far apart.
HEADS = Table(
    "pairs/heads", keys="data arm kind pairing aggregate layer head", values=WEIGHT_VALUES
)
# One row an encoder: the head that gives most to pairs, and its weight on moved pairs, held out.
BEST = Table(
    "pairs/best",
    keys="data arm kind pairing aggregate layer head",
    values=CHOSEN_VALUES
    | {
        "moved_share": Value(
            "weight on moved pairs over weight on pairs", bounds=(0, None), **SHARE
        ),
        "same": flag("same head in all halves"),
        "texts": count("texts"),
    },
)
# One row an encoder: how many of the heads that give most to pairs are diagonal, held out, and how
# many of all heads.
CANDIDATES = Table(
    "pairs/candidates",
    keys="data arm kind pairing aggregate",
    values={
        "heads": count("heads"),
        "candidates": count("candidates"),
        "diagonal": count("diagonal heads"),
        "both": count("diagonal candidates"),
        "share": Value(
            "share of candidates that are diagonal", bounds=(0, 1), resampled=True, **SHARE
        ),
        "chance": Value(
            "share of all heads that are diagonal", bounds=(0, 1), resampled=True, **SHARE
        ),
        "excess": Value("difference", resampled=True, **SHARE),
        "texts": count("texts"),
    },
)
