"""What the stage `importance` writes: the score by gradients, and what it is worth."""

from stages.core.stage.tables import MeasuredTable, interval_names

# Importance as it is, and over the l2 norm of its layer's (Michel et al. 2019, section 4.1).
UNNORMED, BY_LAYER = "none", "layer"

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
# One row a seed, norm of importance and exact score that importance is held against; no rows
# where the encoder has one head.
AGREEMENT = MeasuredTable(
    "importance/{task}-agreement",
    ("seed", "norm", "exact", *interval_names(value="spearman"), "examples"),
    resampled=("spearman",),
)
# One row: operations of the exact grid and of the gradients, in forward passes of the same
# examples, and the gradients' as a share of the grid's.
COSTS = MeasuredTable(
    "importance/{task}-cost",
    ("examples", "grid_passes", "gradient_passes", *interval_names("ratio")),
)
