"""Tables of predictions on the validation examples of tasks, which several rooms read."""

from stages.core.stage.tables import MeasuredTable
from stages.core.tables import Table, Value, count, name

# One row an arm, seed and example, of every model that `finetune` makes; `logit_0` and so on, one a
# class, come beside.
PREDICTIONS = MeasuredTable(
    "finetune/{task}", ("arm", "seed", "id", "label", "prediction"), numbered=("logit",)
)
# One row a model without an encoder and example: `majority`, `bag_of_words` and, of tasks of pairs,
# `word_overlap`.
BASELINES = Table(
    "prepare/baselines",
    keys="data model",
    values={
        "id": name("example"),
        "label": Value("gold label"),
        "prediction": Value("prediction"),
    },
)
# One row a split.
TASK_SIZES = Table(
    "prepare/sizes",
    keys="data split",
    values={
        "examples": count("examples"),
        "tokens": count("tokens"),
        "unknown": count("unknown tokens"),
        "in_both": count("examples that the other split has as well"),
    },
)
