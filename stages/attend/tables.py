"""What the stage `attend` writes beside the maps themselves."""

from stages.core.tables import Table, Value, count

# One row an arm, statistic and head, over all validation examples; of the first fine-tuning.
STATISTICS_OF_HEADS = Table(
    "attend/statistics",
    keys="data seed arm statistic layer head",
    values={
        "mean": Value("mean over examples"),
        "standard_error": Value("standard error"),
        "examples": count("examples"),
    },
)
