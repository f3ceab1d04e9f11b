"""The tables of the stage `surface`; beside them the stage writes `gradient_tables.MASKED`."""

from stages.core.intervals.held_out import SCORE
from stages.core.stage.tables import MeasuredTable, interval_names

PATTERN = "pattern_"  # begins the names of statistics that are the strength of a pattern

# One row a head and statistic: its mean over texts.
HEADS = MeasuredTable(
    "surface/{corpus}",
    ("encoder", "layer", "head", "statistic", *interval_names(value="mean"), "texts"),
    resampled=("mean",),
)
# One row a statistic: the head that has most of it on all texts, and what the heads that half of
# the texts choose have on the other half; `same` says whether all halves chose that one.
STRONGEST = MeasuredTable(
    "surface/{corpus}-strongest",
    ("encoder", "statistic", "layer", "head", *SCORE, "same", "texts"),
    resampled=SCORE[:1],
)
# One row a layer: how many of its heads attend to [SEP] on one half of the texts, and what they
# give from [SEP] to [SEP] on the other, added up over heads and texts; `cases` counts these. Rows
# of random weights are of the same places.
SEP_HEADS = MeasuredTable(
    "surface/{corpus}-sep",
    ("encoder", "layer", "heads", "sep_to_sep_sum", "cases", "texts"),
    resampled=("sep_to_sep_sum", "cases"),
)
