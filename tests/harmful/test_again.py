"""Whether the same heads hurt again: the jackknife by hand, planted heads, and noise."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from stages.core.verdicts.answers import NotMeasured
from stages.harmful.again import (
    OfRun,
    between_seeds,
    between_tasks,
    jackknife,
    loss_without,
    of_run,
    on_another_task,
    on_other_seeds,
    on_other_tasks,
    overlap,
    rank_correlation,
)

HEADS, RESAMPLES = 40, 100


def run(losses: np.ndarray, seed: int, noise: float = 0.0, most: int = 4) -> OfRun:
    """A run of two divisions whose heads have these true effects, and noise on every half.

    As in the stage, each half chooses by its own examples.
    """
    generator = np.random.default_rng(seed)
    found = losses + noise * generator.normal(size=(2, 2, HEADS))
    chosen = found.argsort(axis=-1).argsort(axis=-1) < most
    drawn = found[..., None] + noise * generator.normal(size=(*found.shape, RESAMPLES))
    return OfRun(chosen, found, drawn, 100)


@pytest.fixture
def planted() -> np.ndarray:
    """Four heads hurt, by 2%; the others help, by 1% to 3%."""
    losses = np.linspace(1, 3, HEADS)
    losses[[5, 17, 23, 38]] = -2
    return losses


def test_the_jackknife_by_hand():
    """Pairs of three seeds: each seed left out leaves the one pair of the others."""
    pairs = np.array([[np.nan, 1, 2], [1, np.nan, 6], [2, 6, np.nan]], dtype=float)
    found = jackknife(pairs)
    assert found.value == 3
    # 6, 2 and 1, mean 3: (9 + 1 + 4) x 2/3.
    half_width = np.sqrt(14 * 2 / 3) * t.ppf(0.975, 2)
    assert (found.low, found.high) == pytest.approx((3 - half_width, 3 + half_width))


def test_pairs_need_not_be_alike_both_ways():
    pairs = np.array([[np.nan, 0, 2], [2, np.nan, 5], [2, 7, np.nan]])
    assert jackknife(pairs).value == 3
    without = [6, 2, 1]
    assert jackknife(pairs).high - 3 == pytest.approx(
        np.sqrt(2 / 3 * np.var(without) * 3) * t.ppf(0.975, 2)
    )


def test_two_seeds_have_no_interval():
    found = jackknife(np.array([[np.nan, 1.0], [2.0, np.nan]]))
    assert found.value == 1.5
    assert np.isnan([found.low, found.high]).all()
    with pytest.raises(NotMeasured, match="three seeds"):
        on_other_seeds([run(np.ones(HEADS), seed) for seed in (0, 1)])


def test_heads_that_hurt_every_seed_are_found_and_only_they(planted):
    runs = [run(planted, seed, noise=0.1) for seed in range(3)]
    found = on_other_seeds(runs)
    assert found.value == pytest.approx(-2, abs=0.1)
    assert found.low < found.value < found.high < -1.5
    assert np.nanmin(between_seeds(runs, overlap)) == pytest.approx(1 - 4 / HEADS)
    assert np.nanmin(between_seeds(runs, rank_correlation)) > 0.9


def test_heads_of_one_seed_alone_do_not_hurt_the_others(planted):
    others = np.roll(planted, 1), np.roll(planted, 2)
    runs = [run(losses, seed, noise=0.1) for seed, losses in enumerate((planted, *others))]
    found = on_other_seeds(runs)
    assert found.value > 1
    assert found.low > 0
    assert np.nanmax(between_seeds(runs, overlap)) == pytest.approx(-4 / HEADS)


def test_noise_is_no_harm_again():
    """Heads chosen by noise: of 60 times three seeds the interval has 0 as often as it should."""
    covered, values = [], []
    for trial in range(60):
        runs = [run(np.zeros(HEADS), 3 * trial + seed, noise=1.0) for seed in range(3)]
        found = on_other_seeds(runs)
        covered.append(found.low <= 0 <= found.high)
        values.append(found.value)
    assert np.mean(covered) >= 0.93
    assert abs(np.mean(values)) < 0.05


def test_a_half_is_scored_by_the_other_half_alone(planted):
    """Noise that two seeds share, as of the same examples, must not look like harm."""
    shared = run(np.zeros(HEADS), 0, noise=1.0)
    assert loss_without(shared, shared, 0, 0) == pytest.approx(
        shared.losses[0, 1, shared.chosen[0, 0]].mean()
    )
    same_half = shared.losses[0, 0, shared.chosen[0, 0]].mean()
    assert same_half < loss_without(shared, shared, 0, 0) - 1


def test_tasks_score_the_heads_of_one_another(planted):
    first, second = run(planted, 0), run(np.roll(planted, 1), 1)
    assert on_another_task(first, first).value == pytest.approx(-2)
    assert on_another_task(first, second).value == pytest.approx(
        np.roll(planted, 1)[[5, 17, 23, 38]].mean()
    )
    tasks = {"one": {0: first}, "two": {0: first}, "three": {0: second}}
    pairs = between_tasks(tasks)
    assert len(pairs) == 6
    assert pairs["one", "two"].value == pytest.approx(-2)
    found = on_other_tasks(tasks)
    expected = (pairs["one", "two"].value + pairs["one", "three"].value) / 2
    assert found["one"].value == pytest.approx(expected)


def test_a_task_where_no_head_hurts_chooses_none(planted):
    no_losses = np.zeros((2, 2, HEADS)), np.zeros((2, 2, HEADS, RESAMPLES))
    none = OfRun(np.zeros((2, 2, HEADS), dtype=bool), *no_losses, 100)
    with pytest.raises(NotMeasured, match="no head hurts"):
        on_another_task(none, run(planted, 0))
    pairs = between_tasks({"one": {0: none}, "two": {0: run(planted, 0)}})
    assert list(pairs) == [("one", "two")]


def test_rows_are_read_by_division_half_and_head():
    """Shuffled rows, in percent of the half's own loss."""
    rows = [
        {
            "division": 0,
            "half": half,
            "layer": layer,
            "head": head,
            "chosen": (half, layer, head) == (1, 0, 1),
            "full": 2.0 if half else 4.0,
            "loss": 10 * layer + head,
            "loss_drawn": np.array([10 * layer + head, half]),
            "examples": 30 + half,
        }
        for half in (0, 1)
        for layer in (0, 1)
        for head in (0, 1)
    ]
    found = of_run(pd.DataFrame(rows).sample(frac=1, random_state=0))
    assert found.losses[0].tolist() == [[0, 25, 250, 275], [0, 50, 500, 550]]
    assert found.chosen[0].tolist() == [[False] * 4, [False, True, False, False]]
    assert found.drawn[0, 1, 3].tolist() == [550, 50]
    assert found.examples == 61
