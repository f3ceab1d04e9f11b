"""What the stage `importance` writes: the score by gradients, and what it is worth."""

from stages.core.stage.tables import MeasuredTable, interval_names

# One row a seed and head.
HEADS = MeasuredTable(
    "importance/{task}",
    (
        "seed",
        "layer",
        "head",
        *interval_names("importance"),
        *interval_names("loss"),
        "absolute_loss",
    ),
)
# One row a seed and exact score that importance is held against.
AGREEMENT = MeasuredTable(
    "importance/{task}-agreement",
    (
        "seed",
        "exact",
        *interval_names(value="spearman"),
        "examples",
        "grid_passes",
        "gradient_passes",
    ),
)
