"""Scores without heads that the other half chose, and what their intervals cover."""

import numpy as np
import pytest

from stages.core.outcomes.paired import draw_weights
from stages.core.tasks.task import Task
from stages.harmful.choices import divide, rank, widening
from stages.harmful.scores import Cut, example_losses, figures, score, score_table, widened

HEADS, MOST, EXAMPLES, RESAMPLES = 24, 3, 120, 150
DATA = {"source": "written", "train": 1, "validation": 1, "seed": 0}
CLASSES = Task.model_validate(
    {"data": DATA, "kind": "classification", "labels": 2, "metrics": ["f1", "accuracy"]}
)
SCORE = Task.model_validate({"data": DATA, "kind": "regression", "metrics": ["spearman"]})


def mean(logits: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """A figure that adds up: a set of heads changes it by the sum of its heads' changes."""
    return logits[..., 0] @ weights.T / weights.sum(axis=1)


def simulated(effects: np.ndarray, seed: int) -> tuple[float, float, float, float]:
    """Heads with these true effects on a loss, and noise: the score, its limits, and the truth.

    The truth is the mean effect of the very sets that were chosen. Two thirds of the examples
    choose.
    """
    generator = np.random.default_rng(seed)
    changes = generator.normal(effects, 1.0, size=(EXAMPLES, HEADS)).reshape(-1, 4, 6)
    choosing = np.arange(EXAMPLES) % 3 > 0
    sides = divide(choosing, 2, seed)
    chosen = rank(changes[choosing], sides[:, choosing], MOST)
    without = np.array(
        [[sum(changes[:, *head] for head in heads) for heads in pair] for pair in chosen]
    )[..., None]
    rows = np.flatnonzero(choosing)
    factor = widening(
        changes[choosing], sides, rows, MOST, draw_weights(len(rows), RESAMPLES, seed)
    )
    zeros = np.zeros((EXAMPLES, 1))
    every = np.arange(EXAMPLES)
    cut = Cut(zeros[:, 0], zeros, sides, without, every, without[0])
    weights = np.concatenate([np.ones((1, EXAMPLES)), draw_weights(EXAMPLES, RESAMPLES, seed)])
    found = score(cut, mean, weights, np.full((RESAMPLES + 1, 2), 0.5))
    true = effects.reshape(4, 6)
    truth = np.mean([[sum(true[head] for head in heads) for heads in pair] for pair in chosen])
    low, high = np.quantile(widened(found.change, factor), [0.025, 0.975])
    return found.change[0], low, high, float(truth)


@pytest.mark.parametrize("hurting", [0, 3], ids=["no head hurts", "some heads hurt"])
def test_the_interval_covers_the_gain_of_what_was_chosen(hurting):
    effects = np.zeros(HEADS)
    effects[5 : 5 + hurting] = -0.15  # hard to tell from noise on sixty examples
    runs = np.array([simulated(effects, seed) for seed in range(200)])
    value, low, high, truth = runs.T
    covered = np.mean((low <= truth) & (truth <= high))
    assert 0.93 <= covered <= 0.97
    assert abs(np.mean(value - truth)) < 0.02  # and chance is no gain on average


def test_noise_looks_like_a_gain_only_where_it_chose():
    generator = np.random.default_rng(0)
    changes = generator.normal(size=(EXAMPLES, 4, 6))
    side = (np.arange(EXAMPLES) % 2)[None]
    heads = rank(changes, side, 3)[0]
    without = np.array([[sum(changes[:, *head] for head in part) for part in heads]])[..., None]
    zeros = np.zeros((EXAMPLES, 1))
    cut = Cut(np.zeros(EXAMPLES), zeros, side, without, np.arange(EXAMPLES), zeros[None])
    found = score(cut, mean, np.ones((1, EXAMPLES)), np.ones((1, 1)))
    assert found.change_where_chosen < -0.5
    assert abs(found.change[0]) < 0.3
    # Each half's own examples under the other half's heads.
    by_hand = np.mean([without[0, 1, ::2].mean(), without[0, 0, 1::2].mean()])
    assert found.change[0] == pytest.approx(by_hand)


@pytest.fixture
def small() -> Cut:
    """Four examples of two classes: all heads on two are right; each half is told a set's logits.

    Without the heads of the second half all of the first half's examples are right, without those
    of the first half none of the second's.
    """
    labels = np.array([0.0, 0.0, 1.0, 1.0])
    first, second = [2.0, 0.0], [0.0, 2.0]  # logits that say class 0, class 1
    full = np.array([first, second, first, second])
    sides = np.array([[0, 1, 0, 1]])
    of_first_half = [first, second, first, first]
    of_second_half = [first, first, second, second]
    chosen = np.array([[of_first_half, of_second_half]])
    return Cut(labels, full, sides, chosen, np.arange(4), full[None])


def test_every_half_is_scored_without_the_heads_of_the_other(small):
    assert small.held_out()[0].argmax(axis=1).tolist() == [0, 1, 1, 0]
    table = score_table(small, CLASSES, 10, 50, 0, [1])
    found = table.set_index("figure")
    assert table["figure"].tolist() == ["loss", "accuracy", "f1", "calibration"]
    # The first half (0, 0 and 1) is right once, then twice; the second (0 and 1) once, then never.
    accuracy = found.loc["accuracy"]
    assert (accuracy["full"], accuracy["cut"], accuracy["change"]) == (0.5, 0.5, 0.0)
    # What each half chose is scored on that half too: 1 of 2 right where it chose, both times.
    assert accuracy["change_where_chosen"] == pytest.approx((0.0 + 0.5) / 2)
    assert found["random"].tolist() == [0, 0, 0, 0]
    for name in ("full", "change", "random"):
        assert np.stack(list(table[f"{name}_drawn"])).shape == (4, 50)
    confidence = 1 / (1 + np.exp(-2))
    right, wrong = -np.log(confidence), -np.log(1 - confidence)
    # Losses: half right on both halves, then all right on one and all wrong on the other.
    assert found.loc["loss", "full"] == pytest.approx((right + wrong) / 2, rel=1e-6)
    assert found.loc["loss", "cut"] == pytest.approx((right + wrong) / 2, rel=1e-6)
    assert found.loc["calibration", "full"] == pytest.approx(abs(confidence - 0.5), rel=1e-6)
    cut = (1 - confidence) / 2 + confidence / 2
    assert found.loc["calibration", "cut"] == pytest.approx(cut, rel=1e-6)


def test_sets_of_random_heads_are_drawn_as_well(small):
    many = [np.tile(part, (10, 1)) for part in (small.full, *small.chosen[0])]
    cut = Cut(
        np.tile(small.labels, 10),
        many[0],
        np.tile(small.sides, 10),
        np.stack([many[1:]]),
        np.arange(40),
        np.stack(many[1:]),
    )
    table = score_table(cut, CLASSES, 10, 400, 0, [1])
    row = table.set_index("figure").loc["loss"]
    assert row["random_low"] < row["random"] < row["random_high"]
    np.testing.assert_allclose(
        np.quantile(row["random_drawn"], [0.025, 0.975]), [row["random_low"], row["random_high"]]
    )


def test_a_regression_has_squared_errors_and_its_correlation():
    logits = np.array([[1.0], [4.0], [2.0]])
    assert example_losses(logits, np.array([1.0, 2.0, 5.0]), "regression").tolist() == [0, 4, 9]
    assert list(figures(SCORE, 10)) == ["loss", "spearman", "calibration"]
