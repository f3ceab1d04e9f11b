"""Whether the heads that give most to pairs are diagonal ones."""

from dataclasses import replace

import numpy as np
import pytest

from stages.core.maps.links import Weights, linked_weights
from stages.pairs.candidates import diagonal_candidates, moved_share
from stages.pairs.stage import Pairs, finder, pair_tables
from tests.oracle import (
    HEADS,
    LAYERS,
    NEXT,
    PREVIOUS,
    SYNTAX,
    OracleRecording,
    oracle_corpus,
    oracle_texts,
)

COUNT = LAYERS * HEADS
RECORDING = OracleRecording(oracle_corpus(2))
SETTINGS = {"candidates": 0.25, "diagonal": 0.5, "resamples": 200, "seed": 0}
TEXTS = 60


def place(head: tuple[int, int]) -> int:
    return head[0] * HEADS + head[1]


def made(linked: list[float], near: list[float], noise: float = 0.01) -> Weights:
    """Texts of the same weights, but for a little noise; what is between tokens adds up to 2."""
    generator = np.random.default_rng(0)
    table = np.array(linked) + noise * generator.normal(size=(TEXTS, COUNT))
    between = np.full((TEXTS, COUNT), 2.0)
    return Weights(table, table / 2, between * np.array(near), between, np.arange(TEXTS) // 2)


def test_candidates_that_are_diagonal_by_hand():
    """Three of twelve heads are candidates, two of them and one other diagonal."""
    linked = [0.9 if head in (2, 7, 9) else 0.1 for head in range(COUNT)]
    near = [0.6 if head in (2, 9, 11) else 0.4 for head in range(COUNT)]
    table = diagonal_candidates(RECORDING, made(linked, near), **SETTINGS)
    (row,) = table.to_dict("records")
    facts = ("arm", "heads", "candidates", "diagonal", "both", "texts")
    assert [row[name] for name in facts] == ["untuned", COUNT, 3, 3, 2, TEXTS]
    assert row["share"] == pytest.approx(2 / 3)
    assert row["chance"] == pytest.approx(3 / 12)
    assert row["excess"] == pytest.approx(2 / 3 - 1 / 4)
    assert 0.1 < row["share_low"] < 0.3
    assert 0.9 < row["share_high"] < 1
    assert row["chance_low"] == row["chance_high"] == pytest.approx(0.25)
    assert row["excess_drawn"].shape == (200,)
    np.testing.assert_allclose(row["excess_drawn"], row["share_drawn"] - row["chance_drawn"])


@pytest.mark.parametrize(("near", "share"), [(0.4, 0.0), (0.6, 1.0)])
def test_none_and_all_have_an_interval_too(near, share):
    table = diagonal_candidates(
        RECORDING, made(list(np.linspace(0, 1, COUNT)), [near] * COUNT), **SETTINGS
    )
    (row,) = table.to_dict("records")
    assert (row["share"], row["chance"]) == (share, share)
    assert row["excess"] == 0
    assert row["share_low"] < row["share_high"]
    assert row["share_low"] <= share <= row["share_high"]
    assert row["excess_low"] <= 0 <= row["excess_high"]


def test_texts_that_choose_candidates_do_not_say_which_heads_are_diagonal():
    """Noise that is the same in both: the head that gives most in a text is diagonal there."""
    generator = np.random.default_rng(1)
    chosen = generator.integers(COUNT, size=400)
    linked = np.eye(COUNT)[chosen]
    between = np.full((400, COUNT), 1.0)
    # On any half of the texts the heads chosen most often are those above the mean there.
    weights = Weights(linked, linked, linked * COUNT / 2, between, np.arange(400))
    table = diagonal_candidates(RECORDING, weights, 0.25, 0.5, 50, 0)
    mean = linked.mean(0)
    alike = (mean[np.argsort(-mean)[:3]] * COUNT / 2 > 0.5).mean()
    assert alike == 1
    assert table["share"].item() < 0.8


def test_oracle_heads_and_random_weights(tmp_path):
    corpus = oracle_corpus(40)
    texts = oracle_texts(corpus, tmp_path)
    # The syntactic head gives more than half to neighbours as well: sentences are short.
    parameters = Pairs(corpora=[], **SETTINGS | {"diagonal": 0.9})
    found = {}
    for name in texts.encoders:
        recording = OracleRecording(corpus, name)
        for heads, best, candidates in pair_tables(recording, texts, parameters):
            (row,) = candidates.to_dict("records")
            which = row["kind"], row["pairing"], row["aggregate"]
            found[(name, *which)] = row
            assert len(heads) == COUNT
            assert len(best) == 1
    assert len(found) == 2 * 2 * 2 * 2
    row = found["untuned", "verb and subject", "crossed", "maximum"]
    # The heads of the neighbours are diagonal, and give all they have to some verb and subject.
    assert (row["diagonal"], row["candidates"], row["both"]) == (2, 3, 2)
    assert row["chance"] == pytest.approx(2 / COUNT)
    assert row["share"] == pytest.approx(2 / 3)
    untrained = found["random_weights", "verb and subject", "crossed", "maximum"]
    assert (untrained["share"], untrained["chance"], untrained["diagonal"]) == (0, 0, 0)


def test_a_head_that_looks_at_a_distance_is_told_by_moved_pairs(tmp_path):
    """The next head gives its all to neighbours, pairs or not; the syntactic head does not."""
    corpus = oracle_corpus(20)
    recording, texts = OracleRecording(corpus), oracle_texts(corpus, tmp_path)
    (found,) = linked_weights(recording, texts, [finder(texts, "verb and subject", "crossed")])
    weights = found["maximum"]
    for head, expected in ((SYNTAX, False), (NEXT, True), (PREVIOUS, True)):
        alone = np.zeros_like(weights.linked)
        alone[:, place(head)] = weights.linked[:, place(head)]
        only = replace(weights, linked=alone)
        (row,) = moved_share(recording, only, 50, 0).to_dict("records")
        assert (row["layer"], row["head"]) == head
        assert (row["moved_share"] > 0.95) == expected
        assert row["same"]


def test_moved_weight_is_of_the_texts_that_did_not_choose():
    """Every text has a head of its own, which has moved weight there alone."""
    own = np.eye(COUNT)[np.arange(TEXTS) % COUNT]
    weights = Weights(own + 0.001, own, own, own, np.arange(TEXTS))
    (row,) = moved_share(RECORDING, weights, 50, 0).to_dict("records")
    # On the half that chose it the head's share would be nearly 1: it has most of its texts there.
    assert row["moved_share"] < 0.7
    assert not row["same"]
    assert row["texts"] == TEXTS


def test_one_group_of_texts_says_nothing():
    weights = made([0.5] * COUNT, [0.6] * COUNT)
    alone = Weights(
        weights.linked, weights.moved, weights.near, weights.between, np.zeros(TEXTS, int)
    )
    assert diagonal_candidates(RECORDING, alone, **SETTINGS).empty
    assert moved_share(RECORDING, alone, 50, 0).empty


def test_texts_whose_pairs_cannot_move_are_no_cases_of_moved_weight():
    """They would choose another head, and have no number to score."""
    own = np.tile(np.linspace(0.1, 0.9, COUNT), (TEXTS, 1))
    moved = own / 4
    own[:20, place(PREVIOUS)], moved[:20] = 9.0, np.nan
    weights = Weights(own, moved, own, own, np.arange(TEXTS))
    (row,) = moved_share(RECORDING, weights, 50, 0).to_dict("records")
    assert (row["layer"], row["head"], row["texts"]) == (LAYERS - 1, HEADS - 1, TEXTS - 20)
    share = row["moved_share"], row["moved_share_low"], row["moved_share_high"]
    assert share == pytest.approx((0.25, 0.25, 0.25))


def test_each_resample_chooses_its_head_anew():
    """Two heads that give as much to pairs; one gives all of it to moved pairs too, one nothing."""
    linked = np.zeros((TEXTS, COUNT))
    noise = np.random.default_rng(0).normal(scale=0.1, size=(2, TEXTS))
    linked[:, place(SYNTAX)], linked[:, place(NEXT)] = 1 + noise - noise.mean(1, keepdims=True)
    moved = np.zeros_like(linked)
    moved[:, place(NEXT)] = linked[:, place(NEXT)]
    weights = Weights(linked, moved, linked, linked, np.arange(TEXTS))
    (row,) = moved_share(RECORDING, weights, 200, 0).to_dict("records")
    assert row["moved_share_high"] - row["moved_share_low"] > 0.3
