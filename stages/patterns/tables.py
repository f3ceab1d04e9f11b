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
# One row a layer, head and pattern: how many of the head's maps have it.
HEADS = MeasuredTable("patterns/{task}-{arm}", ("layer", "head", "pattern", "maps"))
# One row a pattern: its share of all maps.
SHARES = MeasuredTable(
    "patterns/{task}-{arm}-shares", ("pattern", *interval_names(value="share"), "examples")
)
# The same of the texts of a corpus: one row an encoder, pattern and head.
TEXT_HEADS = MeasuredTable(
    "text_patterns/{corpus}", ("encoder", "layer", "head", "pattern", "share")
)
# One row an encoder and pattern.
TEXT_SHARES = MeasuredTable(
    "text_patterns/{corpus}-shares",
    ("pattern", *interval_names(value="share"), "texts", "encoder"),
)
