"""Arms: what an encoder has gone through, in one word for settings, files, tables and the report.

A task has all four; corpora have those that no task has tuned.
"""

from typing import Literal

UNTUNED = "untuned"  # the checkpoint as it is; under a fresh head, where there is a task
TUNED = "tuned"  # the checkpoint, tuned on a task
TUNED_FROM_RANDOM = "tuned_from_random"  # weights drawn from the normal distribution, then tuned
RANDOM_WEIGHTS = "random_weights"  # drawn from the normal distribution and left so: the control

Arm = Literal["untuned", "tuned_from_random", "tuned", "random_weights"]
ARM_HELP = (
    "untuned: the checkpoint as it is; tuned: the same, tuned on the task; tuned_from_random: "
    "weights drawn at random, then tuned; random_weights: drawn at random, the control."
)
# Arms that tuning makes, and arms that start from the checkpoint's weights.
WITH_TUNING: tuple[Arm, ...] = (TUNED_FROM_RANDOM, TUNED)
FROM_CHECKPOINT: tuple[Arm, ...] = (UNTUNED, TUNED)

# Arms whose attention is recorded on the examples of a task, and on corpora; in this order.
TaskArm = Literal["untuned", "tuned", "random_weights"]
TASK_ARMS: tuple[TaskArm, ...] = (UNTUNED, TUNED, RANDOM_WEIGHTS)
CorpusArm = Literal["untuned", "random_weights"]
CORPUS_ARMS: tuple[CorpusArm, ...] = (UNTUNED, RANDOM_WEIGHTS)
RECORDED = "recorded"  # in place of an arm: attention that was recorded elsewhere
