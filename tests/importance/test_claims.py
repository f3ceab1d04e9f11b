"""Agreement of fast and exact importance, on hand-made rows."""

import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.importance.tables import AGREEMENT, COSTS
from tests.claims import found, write_run, write_table


def agreement(exact: str, value: float, norm: str = "none", seed: int = 0) -> dict:
    return {
        "seed": seed,
        "arm": "tuned",
        "norm": norm,
        "exact": exact,
        "spearman": value,
        "spearman_low": value - 0.1,
        "spearman_high": value + 0.1,
        "examples": 50,
    }


def test_the_task_of_least_agreement_decides(measures):
    for task, loss, accuracy in (("one", 0.9, 0.3), ("two", 0.7, 0.6)):
        rows = [agreement("loss", 0.99), agreement("absolute loss", loss)]
        rows += [agreement("accuracy", accuracy), agreement("absolute loss", -1, "layer")]
        write_table(measures, AGREEMENT, rows, data=task)
    of_loss = found(measures, "importance_agreement", exact="absolute loss")
    assert (of_loss.pooled.value, of_loss.pooled.low) == pytest.approx((0.7, 0.6))
    assert (of_loss.seeds, of_loss.control, of_loss.arm) == (1, None, "tuned")
    of_metric = found(measures, "importance_agreement", exact="metric")
    assert of_metric.pooled.value == pytest.approx(0.3)
    with pytest.raises(NotMeasured, match="exact gain"):
        found(measures, "importance_agreement", exact="gain")


def test_the_norm_is_held_against_none_on_the_same_resamples(measures):
    """Noise that both scores share does not widen the interval; task two gains least."""
    for task, normed in (("one", 0.8), ("two", 0.65)):
        rows = [agreement("absolute loss", 0.6), agreement("absolute loss", normed, "layer")]
        rows += [agreement("loss", 0.9), agreement("loss", 0.1, "layer")]
        write_table(measures, AGREEMENT, rows, spread=0.3, data=task)
    gain = found(measures, "gain_of_layer_norm", exact="absolute loss")
    assert gain.pooled.value == pytest.approx(0.05)
    assert (gain.pooled.low, gain.pooled.high) == pytest.approx((0.05, 0.05), abs=1e-5)
    assert gain.tasks["one"].value == pytest.approx(0.2)
    assert found(measures, "gain_of_layer_norm", exact="loss").pooled.value == pytest.approx(-0.8)
    assert (gain.seeds, gain.arm) == (1, "tuned")


def test_the_gain_of_a_norm_is_a_mean_over_seeds(measures):
    rows = [
        agreement("absolute loss", value, norm, seed)
        for seed, gained in ((0, 0.1), (1, 0.3))
        for norm, value in (("layer", 0.5 + gained), ("none", 0.5))
    ]
    write_table(measures, AGREEMENT, rows, spread=0.1, data="one")
    gain = found(measures, "gain_of_layer_norm", exact="absolute loss")
    assert gain.pooled.value == pytest.approx(0.2)
    assert gain.pooled.low < 0  # two seeds that differ so much show nothing
    assert gain.seeds == 2


def test_the_dearest_task_decides_on_cost(measures):
    for task, ratio in (("one", 0.05), ("two", 0.08)):
        costs = {"ratio": ratio, "ratio_low": ratio - 0.01, "ratio_high": ratio + 0.01}
        write_table(measures, COSTS, [{"examples": 30, **costs}], data=task)
    cost = found(measures, "cost_of_gradients")
    assert (cost.pooled.value, cost.pooled.high) == pytest.approx((0.08, 0.09))
    assert (cost.tasks["one"].value, cost.pooled.n, cost.control) == (0.05, 60, None)


@pytest.mark.parametrize("measure", ["importance_agreement", "gain_of_layer_norm"])
def test_a_task_that_was_not_learnt_is_left_out(measures, measure):
    for task, wrong, value in (("one", 10, -0.5), ("two", 2, 0.5)):
        write_run(measures, f"finetune/{task}", wrong, arm="tuned", seed=0)
        write_run(measures, f"prepare/{task}-baselines", 10, model="majority")
        rows = [agreement("loss", value), agreement("loss", 2 * value, "layer")]
        write_table(measures, AGREEMENT, rows, data=task)
    answer = found(measures, measure, exact="loss")
    assert list(answer.tasks) == ["two"]
    assert answer.pooled.value == pytest.approx(0.5)
