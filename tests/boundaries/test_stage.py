"""The best head, unions and the regression on oracle heads, noise and decoys."""

import numpy as np
import pytest

from stages.boundaries.choices import best_union, nested_heads
from stages.boundaries.positions import Positions, read_positions
from stages.boundaries.regression import marks_of_regression
from stages.boundaries.segments import Marked, marked_by
from stages.boundaries.settings import Boundaries
from stages.boundaries.tables import (
    ACCURACY,
    ALL_HEADS,
    BEST,
    BEST_HEAD,
    F1,
    HEADS,
    NESTED,
    PAIRS,
    UNIONS,
)
from tests.unsegmented import (
    ALWAYS,
    COARSE,
    CONTRARY,
    SEGMENTER,
    UnsegmentedRecording,
    boundary_tables,
    unsegmented_corpus,
    unsegmented_texts,
)

PARAMETERS = Boundaries(
    corpora=[], unions=[1, 2, 5, 40], compared=3, penalty=1.0, resamples=100, seed=0
)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return boundary_tables(tmp_path_factory.mktemp("texts"), 60, PARAMETERS)


def test_a_head_that_marks_ends_of_words_scores_one(tables):
    best = tables[0][BEST].set_index(["reader", "metric"])
    for metric in (ACCURACY, F1):
        row = best.loc[BEST_HEAD, metric]
        assert (row["score"], row["score_low"], row["place"]) == (1.0, 1.0, "2-1")
        assert row["same"]
        assert row["gain"] == pytest.approx(1 - row["rival"])
        assert best.loc[ALL_HEADS, metric]["score"] == 1.0
    assert best.loc[BEST_HEAD, F1]["words"] == 300


def test_every_row_has_its_resamples(tables):
    for row in tables[1][BEST].to_dict("records"):
        score, rival, gain = (row[f"{name}_drawn"] for name in ("score", "rival", "gain"))
        assert len(score) == PARAMETERS.resamples
        np.testing.assert_allclose(gain, score - rival)
        assert np.quantile(score, 0.025) == pytest.approx(row["score_low"])


def test_random_attention_scores_chance_where_it_was_not_chosen(tables):
    best = tables[1][BEST]
    row = best.set_index(["reader", "metric"]).loc[BEST_HEAD, ACCURACY]
    assert row["score"] == pytest.approx(0.5, abs=0.05)
    assert row["gain"] < 0
    joint = best.set_index(["reader", "metric"]).loc[ALL_HEADS, ACCURACY]
    assert joint["gain"] < 0.02


def test_the_constant_is_the_better_one(tables):
    best = tables[0][BEST]
    heads = tables[0][HEADS]
    assert heads["ends"].iloc[0] < 0.5
    row = best.set_index(["reader", "metric"]).loc[BEST_HEAD, ACCURACY]
    assert row["constant"] == "never"
    assert row["rival"] == pytest.approx(1 - heads["ends"].iloc[0])


def test_every_head_has_its_scores(tables):
    heads = tables[0][HEADS]
    heads = heads.set_index(["layer", "head"])
    ends = heads["ends"].iloc[0]
    assert heads.loc[SEGMENTER, ["accuracy", "F1", "marks"]].tolist() == [1, 1, ends]
    assert heads.loc[CONTRARY, ["accuracy", "marks"]].tolist() == pytest.approx([0, 1 - ends])
    assert heads.loc[ALWAYS, ["accuracy", "marks"]].tolist() == pytest.approx([ends, 1])
    # Five words a text, of which the coarse head cuts out the last one alone.
    assert heads.loc[COARSE, "F1"] == pytest.approx(2 * 1 / (3 + 5))
    others = heads.drop(index=[SEGMENTER, COARSE, ALWAYS, CONTRARY])
    assert (abs(others["marks"] - 0.5) < 0.1).all()


def test_unions_have_sizes_that_the_encoder_has_and_are_held_against_random_heads(tables):
    untuned, random = (of_arm[UNIONS] for of_arm in tables)
    assert untuned["heads"].tolist() == random["heads"].tolist() == [1, 2, 5]
    assert (untuned["score"] == 1).all()
    assert untuned["places"].str.split().str.len().tolist() == [1, 2, 5]
    assert (untuned["places"].str.split().str[0] == "2-1").all()
    assert untuned["rival"].is_monotonic_increasing
    # Coins: one is right half of the time, of five one nearly always; choosing gains nothing.
    assert random["rival"].tolist() == pytest.approx([0.5, 0.75, 31 / 32], abs=0.03)
    assert (random["gain"].abs() < 0.05).all()


def test_heads_that_contradict_each_other_are_right_everywhere_together():
    """And so a union says nothing by itself: here no head is better than a coin."""
    generator = np.random.default_rng(0)
    ends = generator.random(400) < 0.5
    one = generator.random(400) < 0.5
    group = np.arange(400) // 20
    found = best_union(Marked(np.stack([one, ~one], 1), ends, group, group), 2, 50, 0)
    assert found.value.tolist() == [1, 1, 0]


def test_the_union_is_of_heads_that_the_other_half_chose():
    """The head that is right on one half of the groups only is chosen there and scored 0 beyond."""
    ends = np.ones(80, dtype=bool)
    group = np.arange(80) // 4
    marks = np.stack([group == number for number in range(20)], axis=1)
    found = best_union(Marked(marks, ends, group, group), 1, 20, 0)
    assert found.value[0] == 0
    assert found.value[1] == pytest.approx(1 / 20)


def test_a_coarse_head_lies_in_the_finer_one(tables):
    """Of the three best heads two cut by words; every second end is an end."""
    pairs = tables[0][PAIRS]
    pair = pairs[(pairs["coarser"] == "1-2") & (pairs["finer"] == "2-1")].iloc[0]
    assert pair["nested"] == 1
    assert pair["by_chance"] < 0.5
    assert pair["coarser_alone"] == 0
    assert pair["disagreement"] == pytest.approx(pair["finer_marks"] - pair["coarser_marks"])
    assert pair["stretches"] == 3 * 60
    assert (pairs["coarser_marks"] <= pairs["finer_marks"]).all()
    assert len(pairs) == 3


def test_granularity_is_held_out_and_random_heads_have_none(tables):
    untuned, random = (of_arm[NESTED] for of_arm in tables)
    assert untuned["heads"].item() == 3
    assert untuned["gain_low"].item() > 0.1
    assert abs(random["gain"].item()) < 0.05


def test_constant_heads_lie_in_each_other_by_chance_alone():
    group = np.arange(60) // 6
    same = np.broadcast_to([True, False, True], (60, 3))
    found = nested_heads(Marked(same, group % 2 == 0, group, group), 3, 20, 0)
    assert found.value.tolist() == pytest.approx([1, 1, 0])


def coins(groups: int, heads: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    group = np.repeat(np.arange(groups), 20)
    return generator.normal(size=(len(group), heads)), group


def regressed(margins: np.ndarray, ends: np.ndarray, group: np.ndarray) -> float:
    positions = Positions(margins, ends, group, group, 0)
    marks = marks_of_regression(positions, group, 1.0, 0)
    return float((marks == ends[:, None]).mean())


def test_all_heads_together_know_what_no_single_one_does():
    margins, group = coins(30, 4)
    ends = margins[:, 1] - 2 * margins[:, 3] > 0
    assert regressed(margins, ends, group) > 0.97
    assert ((margins > 0) == ends[:, None]).mean(0).max() < 0.7


def test_a_regression_knows_nothing_of_noise_or_of_texts_that_it_has_not_seen():
    margins, group = coins(30, 4)
    noise = np.random.default_rng(2).random(len(group)) < 0.5
    assert regressed(margins, noise, group) == pytest.approx(0.5, abs=0.05)
    # Each group has a head of its own, and says either always or never.
    of_groups = np.eye(30)[group]
    assert regressed(of_groups, group % 2 == 0, group) <= 0.55
    assert regressed(margins, np.ones(len(group), dtype=bool), group) == 1


def test_the_order_of_texts_in_a_batch_does_not_matter(tmp_path):
    """The longest come first; heads and ends stay with their text."""
    corpus = unsegmented_corpus(20, seed=3)
    texts = unsegmented_texts(corpus, tmp_path)
    found = read_positions(UnsegmentedRecording(corpus), texts)
    whole = marked_by(found.marks, found, texts.groups)
    for number in np.unique(texts.groups):
        rows = np.flatnonzero(texts.groups == number)
        part = corpus.iloc[rows].reset_index(drop=True)
        words = sum(len(entry) for entry in part["words"])
        assert whole.words[number] == words
        assert whole.cases[number] == part["text_a"].map(len).sum() - len(part)
