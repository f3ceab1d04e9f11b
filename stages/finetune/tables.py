"""Tables of the stages `finetune` and `pair_baselines`; `PREDICTIONS` is in `stages.core.tasks`."""

from dataclasses import replace

from stages.core.tables import Table, Value, count, name
from stages.core.tasks.tables import PREDICTIONS

# One row an arm that is tuned; the same for all seeds.
TUNING_SETTINGS = Table(
    "finetune/settings",
    keys="data arm",
    values={
        "epochs": count("epochs"),
        "batch": count("examples in a step"),
        "learning_rate": Value("learning rate", format="g"),
        "dropout": Value("dropout", format="g"),
        "precision": name("precision"),
    },
)
# The arm is a model of pairs: `lstm` or `towers`.
PAIR_PREDICTIONS = replace(PREDICTIONS, file="pair_baselines/predictions")
PAIR_SETTINGS = replace(
    TUNING_SETTINGS,
    file="pair_baselines/settings",
    values={**TUNING_SETTINGS.values, "weights": count("weights that tuning moves")},
)
# One row a class of a task; none of a score.
PAIR_CLASSES = Table("pair_baselines/classes", keys="data class", values={"name": name("class")})
