"""What the stages `classifier`, `patterns` and `text_patterns` write."""

from stages.core.stage.tables import MeasuredTable, interval_names

# What is scored: the network that sorts the maps, it without its wide path, a network that sees the
# map alone, and a linear classifier on plain features.
NETWORKS = ("network", "deep_path", "map_alone")
MODELS = (*NETWORKS, "baseline")

# How maps were drawn whose classes are as frequent as among all maps (column drawn_by).
CHANCE = "chance"
# One row a random start and labelled map, predicted by models that did not see its fold.
FOLDS = MeasuredTable(
    "classifier/folds",
    ("start", "fold", "map", "encoder", "layer", "head", "drawn_by", "label", *MODELS),
)
# Rules for Vertical: a stripe on whatever token, or on [CLS] and [SEP] (the source's).
ANY, SPECIAL = "any", "special"
# One row a random start of the network, rule and map of a recording that was labelled: `first` and
# `second` are what its annotators say, `label` is empty where they differ and nobody decided.
OUTSIDE = MeasuredTable(
    "outside_patterns/{corpus}",
    ("start", "rule", "map", "example", "layer", "head", "first", "second", "label", *MODELS),
)
# One row a rule and pattern: shares that the confusion matrix of labelled maps corrects.
CORRECTED_COLUMNS = ("rule", "pattern", "share", *interval_names(value="corrected"), "labelled")
CORRECTED = MeasuredTable("patterns/{task}-{arm}-corrected", CORRECTED_COLUMNS)
OUTSIDE_CORRECTED = MeasuredTable("outside_patterns/{corpus}-corrected", CORRECTED_COLUMNS)
BEYOND_COLUMNS = ("layer", "head", *interval_names(value="beyond"))

# One row a rule, layer, head and pattern: how many of the head's maps have it.
HEADS = MeasuredTable("patterns/{task}-{arm}", ("rule", "layer", "head", "pattern", "maps"))
# One row a rule and pattern: its share of all maps.
SHARES = MeasuredTable(
    "patterns/{task}-{arm}-shares",
    ("rule", "pattern", *interval_names(value="share"), "examples"),
    resampled=("share",),
)
# One row a head: the share of its attention beyond [CLS], [SEP] and the neighbours.
BEYOND = MeasuredTable("patterns/{task}-{arm}-beyond", (*BEYOND_COLUMNS, "examples"))
# The same of the texts of a corpus: one row an encoder, rule, pattern and head.
TEXT_HEADS = MeasuredTable(
    "text_patterns/{corpus}", ("encoder", "rule", "layer", "head", "pattern", "share")
)
# One row an encoder, rule and pattern.
TEXT_SHARES = MeasuredTable(
    "text_patterns/{corpus}-shares",
    ("encoder", "rule", "pattern", *interval_names(value="share"), "texts"),
    resampled=("share",),
)
# One row an encoder and head.
TEXT_BEYOND = MeasuredTable("text_patterns/{corpus}-beyond", ("encoder", *BEYOND_COLUMNS, "texts"))
