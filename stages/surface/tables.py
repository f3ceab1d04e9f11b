"""The table of the stage `surface`; beside it the stage writes `weight_gradients.MASKED`."""

from stages.core.stage.tables import MeasuredTable, interval_names

PATTERN = "pattern_"  # begins the names of statistics that are the strength of a pattern

# One row a head and statistic: its mean over texts.
HEADS = MeasuredTable(
    "surface/{corpus}",
    ("encoder", "layer", "head", "statistic", *interval_names(value="mean"), "texts"),
)
