"""Agreement of fast and exact importance, on hand-made rows."""

import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.importance.tables import AGREEMENT
from tests.claims import found, write_rows


def agreement(exact: str, value: float) -> dict:
    return {
        "exact": exact,
        "spearman": value,
        "low": value - 0.1,
        "high": value + 0.1,
        "examples": 50,
        "grid_passes": 9.0,
        "gradient_passes": 1.0,
    }


def test_the_task_of_least_agreement_decides(measures):
    for task, loss, accuracy in (("one", 0.9, 0.3), ("two", 0.7, 0.6)):
        rows = [agreement("loss", 0.99), agreement("absolute loss", loss)]
        write_rows(measures, AGREEMENT, [*rows, agreement("accuracy", accuracy)], task=task, seed=0)
    of_loss = found(measures, "importance_agreement", exact="absolute loss")
    assert (of_loss.pooled.value, of_loss.pooled.low) == pytest.approx((0.7, 0.6))
    assert (of_loss.seeds, of_loss.control, of_loss.arm) == (1, None, "tuned")
    of_metric = found(measures, "importance_agreement", exact="metric")
    assert of_metric.pooled.value == pytest.approx(0.3)
    with pytest.raises(NotMeasured, match="the exact score gain"):
        found(measures, "importance_agreement", exact="gain")
