"""Tables of predictions on the validation examples of tasks, which several rooms read."""

from stages.core.stage.tables import MeasuredTable

# One row an arm, seed and example, of every model that `finetune` makes; `logit_0` and so on, one a
# class, come beside.
PREDICTIONS = MeasuredTable(
    "finetune/{task}", ("arm", "seed", "id", "label", "prediction"), numbered=("logit",)
)
# One row a model without an encoder and example: `majority`, `bag_of_words` and, of tasks of pairs,
# `word_overlap`.
BASELINES = MeasuredTable("baseline/{task}", ("id", "label", "model", "prediction"))
