"""Tables of predictions on the validation examples of tasks, which several rooms read."""

from stages.core.tables import Table, Value, count, name

PREDICTED = {
    "id": name("example"),
    "label": Value("gold label"),
    "prediction": Value("prediction"),
}
# One row a fine-tuning and example; a logit for each class, or the score.
PREDICTIONS = Table(
    "finetune/predictions",
    keys="data seed arm",
    values={**PREDICTED, "logit": Value("logit", numbered=True)},
)
# One row a model without an encoder and example: `majority`, `bag_of_words` and, of tasks of pairs,
# `word_overlap`.
BASELINES = Table("prepare/baselines", keys="data model", values=PREDICTED)
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
