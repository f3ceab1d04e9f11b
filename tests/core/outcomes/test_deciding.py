"""Accuracy decides, also where the first metric of a task is another one."""

import pandas as pd
import pytest

from stages.core.outcomes.deciding import deciding_metric, deciding_rows, effect_metrics
from stages.core.outcomes.tables import GATES
from stages.core.tasks.task import Task

DATA = {"source": "written", "train": 1, "validation": 1, "seed": 0}


@pytest.mark.parametrize(
    ("kind", "metrics", "expected"),
    [
        ("classification", ["f1", "accuracy"], ["accuracy", "f1"]),
        ("classification", ["matthews"], ["accuracy", "matthews"]),
        ("classification", ["accuracy", "f1"], ["accuracy"]),
        ("regression", ["spearman", "pearson"], ["spearman"]),
    ],
)
def test_the_metric_that_decides_comes_first(kind, metrics, expected):
    labels = {"labels": 2} if kind == "classification" else {}
    task = Task(data=DATA, kind=kind, metrics=metrics, **labels)
    assert effect_metrics(task) == expected
    assert deciding_metric(task) == expected[0]


def test_rows_of_other_metrics_decide_nothing():
    metrics = ["accuracy", "f1", "macro_f1", "pearson"]
    rows = pd.DataFrame({"metric": metrics, "mode": "zero", "effect": range(4)})
    assert deciding_rows(GATES, mode="zero").of(rows)["effect"].tolist() == [0, 3]
    assert deciding_rows(GATES, mode="mean").of(rows).empty
