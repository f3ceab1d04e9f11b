"""Tables of the stage `features`: attention to kinds of tokens, before and after tuning."""

from stages.core.tables import Table, Value, count, flag

# Of several tokens of a kind: the one that gets most (the source's way), or all together.
AGGREGATES = ("maximum", "sum")
MAXIMUM = AGGREGATES[0]

SHARE = {"unit": "share", "format": ".3f", "bounds": (0, 1)}
CHANGE = {"unit": "share", "format": "+.3f", "bounds": (-1, 1)}

# One row an arm, kind, aggregate and head; only the arm `tuned` has changes.
HEADS = Table(
    "features/heads",
    keys="data seed arm kind aggregate layer head",
    values={
        "share": Value("share of attention", **SHARE, interval=True),
        "change": Value("change by tuning", **CHANGE, interval=True),
        "examples": count("examples"),
    },
)
# One row an arm, kind, aggregate and example that has the kind: its share, mean over heads.
SHARES = Table(
    "features/shares",
    keys="data seed arm kind aggregate id",
    values={
        "share": Value("share of attention", **SHARE),
        "early": Value("share in the lower half of the layers", **SHARE),
        "late": Value("share in the upper half of the layers", **SHARE),
    },
)
# One row a kind, aggregate and example that has the kind: tuned minus untuned, mean over heads.
CHANGES = Table(
    "features/changes",
    keys="data seed arm kind aggregate id",
    values={
        "change": Value("absolute change by tuning", **SHARE),
        "early_change": Value("change in the lower half of the layers", **CHANGE),
        "late_change": Value("change in the upper half of the layers", **CHANGE),
    },
)
# One row a kind and aggregate: the head in which it gains most by tuning, held out.
RISES = Table(
    "features/rises",
    keys="data seed arm kind aggregate layer head",
    values={
        "rise": Value("gain by tuning, held out", **CHANGE, interval=True, resampled=True),
        "examples": count("examples"),
        "same": flag("same head in all halves"),
    },
)
# One row an arm, kind and aggregate: the weight from [CLS] in the last layer, mean over heads.
CLS = Table(
    "features/cls",
    keys="data seed arm kind aggregate",
    values={
        "share": Value("share of attention", **SHARE, interval=True, resampled=True),
        "examples": count("examples"),
    },
)
# One row an arm and head: how much more a word that stands in both texts of a pair gives to its
# equal than to other words there. Tasks of single texts have no rows.
MATCHES = Table(
    "features/matches",
    keys="data seed arm layer head",
    values={
        "gain": Value("gain of the same word", **CHANGE, interval=True, resampled=True),
        "texts": count("pairs of texts"),
    },
)
