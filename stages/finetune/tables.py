"""Tables that this room's further stages write; `finetune`'s own are in `stages.core.tasks`."""

from stages.core.stage.tables import MeasuredTable

# One row a model of pairs (`lstm`, `towers`), seed and example; `logit_0` and so on beside.
PAIR_PREDICTIONS = MeasuredTable(
    "pair_baselines/{task}", ("model", "seed", "id", "label", "prediction"), numbered=("logit",)
)
# One row a model of pairs: how it was tuned, and how many weights it has that tuning moves.
# Embeddings of words that no text of the task has are not among them.
PAIR_SETTINGS = MeasuredTable(
    "pair_baselines/{task}-settings",
    ("model", "epochs", "batch", "learning_rate", "dropout", "precision", "weights"),
)
# One row a class, with the name that its number has; none of a score.
PAIR_CLASSES = MeasuredTable("pair_baselines/{task}-classes", ("class", "name"))
