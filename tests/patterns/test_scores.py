"""Scores of confusion counts and shares corrected by them, against libraries and by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, f1_score
from statsmodels.stats.proportion import proportion_confint

from stages.patterns.corrected import corrected_shares, corrected_table
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.scores import (
    confusions,
    f1,
    interval_of,
    recalls,
    redrawn,
)


def test_f1_equals_that_of_scikit_learn():
    generator = np.random.default_rng(0)
    labels, predictions = generator.integers(5, size=(2, 3, 40))
    counts = np.stack([confusion_matrix(*sides) for sides in zip(labels, predictions, strict=True)])
    for average in ("weighted", "macro"):
        expected = [
            f1_score(*sides, average=average) for sides in zip(labels, predictions, strict=True)
        ]
        np.testing.assert_allclose(f1(counts, average), expected)


def test_a_class_that_neither_side_has_does_not_count():
    counts = np.zeros((5, 5), dtype=int)
    counts[:2, :2] = [[3, 1], [0, 4]]
    assert f1(counts, "macro") == pytest.approx((6 / 7 + 8 / 9) / 2)


def test_counts_are_of_starts_heads_labels_and_predictions():
    rows = [
        {"start": 0, "layer": 1, "head": 2, "label": CLASSES[3], "network": CLASSES[4]},
        {"start": 1, "layer": 1, "head": 2, "label": CLASSES[3], "network": CLASSES[3]},
        {"start": 1, "layer": 2, "head": 1, "label": CLASSES[0], "network": CLASSES[1]},
        {"start": 1, "layer": 2, "head": 1, "label": "", "network": CLASSES[1]},
    ]
    counts = confusions(pd.DataFrame(rows), "network")
    assert counts.shape == (2, 2, 5, 5) and counts.sum() == 3
    assert counts[0, 0, 3, 4] == counts[1, 0, 3, 3] == counts[1, 1, 0, 1] == 1


def test_resamples_vary_as_much_as_means_over_fresh_starts_do():
    """Starts whose accuracy varies a lot, on so many heads that these add nothing."""
    generator = np.random.default_rng(0)
    for starts in (2, 3):
        variances = []
        for draw in range(300):
            right = generator.normal(5000, 500, starts).round().astype(int)
            counts = np.zeros((starts, 1, 5, 5), dtype=int)
            counts[:, 0, 0, 0], counts[:, 0, 0, 1] = right, 10_000 - right
            again = redrawn(counts, 200, draw)
            assert again.shape == (200, starts - 1, 5, 5)
            assert (again.sum((2, 3)) == 10_000).all()
            variances.append((again[..., 0, 0] / 10_000).mean(1).var())
        assert np.mean(variances) == pytest.approx(0.05**2 / starts, rel=0.15)


def test_models_are_drawn_alike_so_that_their_difference_is_paired():
    generator = np.random.default_rng(1)
    counts = generator.integers(5, size=(3, 12, 5, 5))
    other = counts.copy()
    other[..., 0, 1] += 1
    difference = interval_of(
        lambda one, two: two.sum((-2, -1)) - one.sum((-2, -1)), [counts, other], 50, 0
    )
    assert (difference.value, difference.low, difference.high) == (12, 12, 12)


def test_noise_scores_chance():
    generator = np.random.default_rng(2)
    label, said = generator.choice(CLASSES[:2], size=(2, 2000))
    table = pd.DataFrame({"start": 0, "layer": 0, "head": np.arange(2000) // 5, "label": label})
    counts = confusions(table.assign(network=said), "network")
    score = interval_of(lambda own: f1(own, "weighted"), [counts], 500, 0)
    assert score.low < 0.5 < score.high and score.high - score.low < 0.07


def heads_of(hits: list[int], maps: int) -> np.ndarray:
    """One start; heads with so many maps of label 1, of which these are taken for 1."""
    counts = np.zeros((1, len(hits), 5, 5), dtype=int)
    counts[0, :, 1, 1] = hits
    counts[0, :, 1, 2] = maps - np.array(hits)
    return counts


def test_recall_of_heads_that_are_alike_has_wilsons_interval_of_fewer_maps():
    apart = recalls(heads_of([1, 0] * 50, 1)).iloc[0]
    expected = proportion_confint(50, 100, method="wilson")
    assert (apart["recall"], apart["maps"]) == (0.5, 100)
    # Heads with one map each are as good as maps, but for a head's degree of freedom.
    assert (apart["low"], apart["high"]) == pytest.approx(expected, abs=1e-3)
    assert apart["known"]
    # Ten maps of each head that are all right or all wrong say no more than one.
    alike = recalls(heads_of([10, 0] * 5, 10)).iloc[0]
    expected = proportion_confint(4.5, 9, method="wilson")
    assert alike["maps"] == 100
    assert (alike["low"], alike["high"]) == pytest.approx(expected)
    assert not alike["known"]


def toy_counts() -> np.ndarray:
    """Label 0 is taken for 1 in one of five maps, label 1 for 0 in two of five; 2 is not there."""
    counts = np.zeros((5, 5), dtype=int)
    counts[0, :2] = [8, 2]
    counts[1, :2] = [40, 60]
    counts[3, 3] = counts[4, 4] = 7
    return counts


def test_shares_are_corrected_as_by_hand():
    # 0.5 of label 0 and 0.25 of label 1: 0.4 + 0.1 are taken for 0, 0.1 + 0.15 for 1.
    found = corrected_shares(np.array([0.5, 0.25, 0.05, 0.2, 0.0]), toy_counts())
    np.testing.assert_allclose(found, [0.5, 0.25, 0.05, 0.2, 0.0], atol=1e-6)
    found = corrected_shares(np.array([0.6, 0.4, 0.0, 0.0, 0.0]), toy_counts())
    np.testing.assert_allclose(found, [0.5, 0.5, 0.0, 0.0, 0.0], atol=1e-6)
    # More of 0 than any labels would give: all is label 0, and no share is negative.
    found = corrected_shares(np.array([0.9, 0.1, 0.0, 0.0, 0.0]), toy_counts())
    np.testing.assert_allclose(found, [1, 0, 0, 0, 0], atol=1e-6)


WIDTH = "corrected_high - corrected_low"


def rows(shares: np.ndarray, drawn: np.ndarray) -> pd.DataFrame:
    """Shares of the patterns, in another order than that of the classes."""
    table = pd.DataFrame({"pattern": CLASSES, "share": shares, "share_drawn": list(drawn)})
    return table.iloc[::-1]


def test_the_interval_of_corrected_shares_has_both_kinds_of_resamples():
    shares = np.array([0.6, 0.4, 0.0, 0.0, 0.0])
    still = np.repeat(shares[:, None], 200, axis=1)
    noise = np.random.default_rng(0).normal(0, 0.02, 200)
    moving = still + np.stack([noise, -noise, *np.zeros((3, 200))])
    same = np.repeat(toy_counts()[None, None], 20, axis=1)
    sure = corrected_table(rows(shares, still), same, 0)
    assert sure["corrected"].tolist() == pytest.approx([0.5, 0.5, 0, 0, 0], abs=1e-6)
    np.testing.assert_allclose(sure["corrected_low"], sure["corrected_high"], atol=1e-9)
    assert sure["labelled"].tolist() == [200, 2000, 0, 140, 140]
    # A change of 0.02 of predictions is one of 0.05 of labels, as 0.8 - 0.4 of them tell.
    width = corrected_table(rows(shares, moving), same, 0).eval(WIDTH)[0]
    assert width == pytest.approx(2 * 1.96 * 0.05, rel=0.2)
    heads = np.repeat(toy_counts()[None, None], 20, axis=1)
    heads[0, ::2, 1, :2] = [[80, 20]]
    heads[0, 1::2, 1, :2] = [[0, 100]]
    assert corrected_table(rows(shares, still), heads, 0).eval(WIDTH)[0] > 0.1


def test_starts_count_once_as_labelled_maps():
    counts = np.repeat(toy_counts()[None, None], 3, axis=0)
    table = corrected_table(rows(np.full(5, 0.2), np.full((5, 10), 0.2)), counts, 0)
    assert table["labelled"].tolist() == [10, 100, 0, 7, 7]


def test_without_resamples_of_shares_corrected_ones_have_no_limits():
    shares = np.array([0.6, 0.4, 0.0, 0.0, 0.0])
    same = np.repeat(toy_counts()[None, None], 20, axis=1)
    found = corrected_table(rows(shares, np.full((5, 200), np.nan)), same, 0)
    assert found["corrected"].tolist() == pytest.approx([0.5, 0.5, 0, 0, 0], abs=1e-6)
    assert found[["corrected_low", "corrected_high"]].isna().all(axis=None)
