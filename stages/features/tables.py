"""What the stage `features` writes: attention to kinds of tokens, before and after tuning."""

from stages.core.stage.tables import MeasuredTable, interval_names

# One row an arm, kind and head; changes are by tuning.
HEADS = MeasuredTable(
    "features/{task}",
    (
        "arm",
        "kind",
        "layer",
        "head",
        *interval_names(value="share"),
        *interval_names("change", value="share"),
        "examples",
    ),
)
# One row a kind and example that has it, over heads.
CONTRASTS = MeasuredTable(
    "features/{task}-contrast",
    ("id", "kind", "change", "early_change", "late_change", "share", "early", "late"),
)
# One row an arm and kind: what [CLS] gives to it in the last layer.
CLS = MeasuredTable("features/{task}-cls", ("arm", "kind", *interval_names(value="share")))
