"""Columns of tables of attention between tokens that belong together."""

from stages.core.stage.tables import interval_names

# The columns of `weights_by_head`, and those that name a head that was chosen.
WEIGHT_COLUMNS = (
    "encoder",
    "layer",
    "head",
    "texts",
    *interval_names(value="weight"),
    *interval_names("moved", "weight"),
    *interval_names("gain", "weight"),
    "percentile",
)
CHOSEN_COLUMNS = ("encoder", "layer", "head", "weight", "moved_weight")
