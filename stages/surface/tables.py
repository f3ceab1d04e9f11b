"""Tables of the stage `surface`; beside them the stage writes `gradient_tables.MASKED`."""

from stages.core.tables import Table, Value, count, flag

PATTERN = "pattern_"  # begins the names of statistics that are the strength of a pattern

# One row a head and statistic: its mean over texts. Statistics are shares of attention, entropies
# in nats, and strengths of patterns.
HEADS = Table(
    "surface/heads",
    keys="data arm layer head statistic",
    values={
        "amount": Value("mean over texts", interval=True, resampled=True),
        "texts": count("texts"),
    },
)
# One row a statistic: the head that has most of it on all texts. The score is held out: the heads
# that half of the texts choose, on the other half.
STRONGEST = Table(
    "surface/strongest",
    keys="data arm statistic layer head",
    values={
        "score": Value("amount in other texts", interval=True, resampled=True),
        "same": flag("same head in all halves"),
        "texts": count("texts"),
    },
)
# One row a layer: the heads that attend to [SEP] on one half of the texts, and their attention from
# [SEP] to [SEP] on the other. `cases` counts heads and texts. Random weights are measured at the
# same places.
SEP_HEADS = Table(
    "surface/separators",
    keys="data arm layer",
    values={
        "heads": Value("heads that attend to [SEP]", format=".1f", bounds=(0, None)),
        "sep_to_sep_sum": Value(
            "attention from [SEP] to [SEP], added up", bounds=(0, None), resampled=True
        ),
        "cases": Value("heads and texts", format=".1f", bounds=(0, None), resampled=True),
        "texts": count("texts"),
    },
)
