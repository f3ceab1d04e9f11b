"""Coverage is counted right, populations have the effects that they say, and intervals cover."""

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.coverage import Setting, measure
from benchmarks.populations import LARGE, Gates, cases, correlation_lost, scores, true_effects


def test_coverage_width_and_power_are_counted():
    answers = iter([(1.0, 0.5, 2.0), (1.0, 1.5, 2.5), (1.0, -0.5, 0.5), (1.0, -1.0, 1.0)] * 10)
    (row,) = measure([Setting("a", "b", 7, lambda generator: next(answers))], 40).to_dict("records")
    assert (row["method"], row["setting"], row["n"], row["runs"]) == ("a", "b", 7, 40)
    assert (row["truth"], row["coverage"], row["power"]) == (1, 0.5, 0.5)
    assert row["width"] == pytest.approx((1.5 + 1 + 1 + 2) / 4)


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_gates_have_the_effects_that_they_say(metric):
    gates = Gates(np.array([0.0, -0.05, 0.04]), noise=0.2, positive=0.7)
    found = gates.draw(LARGE, np.random.default_rng(5), metric)
    expected = true_effects(gates, metric)
    np.testing.assert_allclose(found.after - found.before, expected, atol=0.004)
    assert found.labels.mean() == pytest.approx(0.7, abs=0.01)
    if metric == "accuracy":
        assert expected.tolist() == [0, -0.05, 0.04]
        assert found.before == pytest.approx(0.8, abs=0.004)


def test_scores_lose_the_correlation_that_is_said():
    found = scores(LARGE, np.random.default_rng(5))
    assert found.after[0] - found.before == pytest.approx(correlation_lost(), abs=0.001)


def test_cases_of_a_text_are_alike():
    right, groups = cases([10] * 3000, np.array([0.3, 0.6]), 0.4, np.random.default_rng(0))
    np.testing.assert_allclose(right.mean(axis=0), [0.3, 0.6], atol=0.02)
    of_texts = right[:, 1].reshape(3000, 10)
    assert np.corrcoef(of_texts[:, 0], of_texts[:, 1])[0, 1] > 0.2
    assert abs(np.corrcoef(of_texts[:-1, 0], of_texts[1:, 1])[0, 1]) < 0.06
    assert groups.tolist() == np.repeat(np.arange(3000), 10).tolist()


@pytest.mark.parametrize("kind", ["PAIRED", "MEANS", "RANDOM", "OVER_SEEDS", "CHOICES"])
def test_intervals_cover_what_they_promise(kind):
    """The smallest setting of each kind, a few times; the whole is `python -m benchmarks`."""
    setting = min(getattr(coverage, kind), key=lambda setting: setting.n)
    (row,) = measure([setting], 40).to_dict("records")
    assert row["coverage"] >= 0.85  # of a true 95% in fewer than one of 200 such tests
