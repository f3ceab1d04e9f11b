"""What the stages `classifier`, `patterns` and `text_patterns` write."""

from stages.core.stage.tables import MeasuredTable, interval_names
from stages.patterns.labelled_maps import CLASSES

# One row a labelled map, predicted by models that did not see its fold; a column a class has its
# probability.
FOLDS = MeasuredTable(
    "classifier/folds",
    (
        "fold",
        "map",
        "encoder",
        "layer",
        "head",
        "drawn_by",
        "label",
        "network",
        "deep_path",
        "baseline",
        *CLASSES,
    ),
)
# Rules for Vertical: a stripe on whatever token, or on [CLS] and [SEP] (the source's).
ANY, SPECIAL = "any", "special"
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
