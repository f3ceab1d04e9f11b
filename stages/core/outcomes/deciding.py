"""In which metrics effects are measured, and which of them decides a claim.

Claims speak of accuracy. Where a task's first metric is another one of classes, as F1 of MRPC, its
effects stand beside those of accuracy, as rows of their own.
"""

from stages.core.tables import Selection, Table
from stages.core.tasks.task import REGRESSION_METRICS, Task

ACCURACY = "accuracy"
# The metrics that decide. No task has both accuracy and a correlation, so the metric's name tells.
DECIDING_METRICS = [ACCURACY, *sorted(REGRESSION_METRICS)]


def deciding_metric(task: Task) -> str:
    """Accuracy where a task has classes, the first of its correlations where it has scores."""
    return task.metrics[0] if task.kind == "regression" else ACCURACY


def effect_metrics(task: Task) -> list[str]:
    """The metric that decides, and behind it the task's first metric where that is another one."""
    return list(dict.fromkeys([deciding_metric(task), task.metrics[0]]))


def deciding_rows(table: Table, **conditions: str | float) -> Selection:
    """The rows of a table of effects in the metric that decides, with these values."""
    return table.where(metric=DECIDING_METRICS, **conditions)
