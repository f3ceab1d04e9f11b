"""Importance of heads by gradients, and its rank correlation with the exact grid."""

from stages.core.tables import Table, Value, count

# Importance as it is, and over the l2 norm of its layer's (Michel et al. 2019, section 4.1).
UNNORMED, BY_LAYER = "none", "layer"

LOSS = {"format": "+.3f"}  # cross-entropy in nats, squared error for scores
HEADS = Table(
    "importance/heads",
    keys="data seed arm layer head",
    values={
        "importance": Value(
            "mean absolute gradient of the loss", format=".2g", bounds=(0, None), interval=True
        ),
        "loss": Value("change of the loss without the head", interval=True, **LOSS),
        "absolute_loss": Value("mean absolute change of the loss", format=".3f", bounds=(0, None)),
    },
)
# One row a norm of importance and exact score that importance is compared with; no rows where the
# encoder has one head.
AGREEMENT = Table(
    "importance/agreement",
    keys="data seed arm norm exact",
    values={
        "spearman": Value(
            "rank correlation over heads", bounds=(-1, 1), interval=True, resampled=True
        ),
        "examples": count("examples"),
    },
)
# One row: operations of the exact grid and of the gradients, in forward passes of the same
# examples, and the gradients' as a share of the grid's.
COSTS = Table(
    "importance/costs",
    keys="data",
    values={
        "examples": count("examples"),
        "grid_passes": Value("forward passes of the exact grid", format=".1f", bounds=(0, None)),
        "gradient_passes": Value("forward passes of the gradients", format=".1f", bounds=(0, None)),
        "ratio": Value(
            "operations of the gradients over those of the grid",
            unit="share",
            format=".0%",
            bounds=(0, None),
            interval=True,
        ),
    },
)
