"""What the stage `attend` writes beside the maps themselves."""

from stages.core.stage.tables import MeasuredTable

# One row a layer, head and statistic, over all validation examples.
HEADS = MeasuredTable(
    "attend/{task}-{arm}", ("layer", "head", "statistic", "mean", "standard_error", "count")
)
