"""Tables of predictions on the validation examples of tasks, which several rooms read."""

from stages.core.stage.tables import MeasuredTable

# One row an arm, seed and example, of every model that `finetune` makes; `logit_0` and so on, one a
# class, come beside.
PREDICTIONS = MeasuredTable(
    "finetune/{task}", ("arm", "seed", "id", "label", "prediction"), numbered=("logit",)
)
# One row a model without an encoder and example: `majority`, `bag_of_words` and, of tasks of pairs,
# `word_overlap`.
BASELINES = MeasuredTable("prepare/{task}-baselines", ("id", "label", "model", "prediction"))
# One row a split: how many examples, tokens and unknown tokens it has, and how many of its examples
# have the texts of an example of the other split.
TASK_SIZES = MeasuredTable("prepare/{task}", ("split", "examples", "tokens", "unknown", "in_both"))
