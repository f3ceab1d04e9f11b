"""Probes against their formula in loops and another optimiser, and what scale and time change."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from stages.probes.fitting import fit, predict
from stages.probes.models import FURTHEST, Choices, shifted
from stages.probes.sentences import FIRST_WORD, ROOT, SEP, Sentence, batches, joined
from stages.probes.tables import (
    ATTENTION,
    ATTENTION_AND_WORDS,
    DISTANCES_AND_WORDS,
    RIGHT_BRANCHING,
)
from stages.probes.variants import Variant, variants
from stages.probes.vectors import distinct, standardised
from tests.probes.sentences import SOUND, pointing, random_heads, random_maps, sentence

HEADS = 3
ORIGINAL = Choices(root="cls and sep", words="off by one", distances="network")


def some_sentences(count: int, seed: int = 0, vectors: int = 6) -> list[Sentence]:
    """Sentences of three to six words: the second head knows a little of syntax."""
    generator = np.random.default_rng(seed)
    found = []
    for number in range(count):
        length = int(generator.integers(3, 7))
        gold = random_heads(generator, length)
        maps = random_maps(generator, HEADS, length)
        maps[1] = 0.8 * maps[1] + 0.2 * pointing(maps, 1, gold)[1]
        words = generator.integers(1, vectors, length)
        found.append(sentence(maps, gold, number // 2, words=words))
    return found


def vectors_of(name: str, count: int = 6) -> torch.Tensor:
    if name == ATTENTION:
        return torch.ones(count, 1)
    table = torch.randn(count, 3, generator=torch.Generator().manual_seed(1))
    return torch.cat([table, torch.ones(count, 1)], dim=1)


def by_loops(name: str, one: Sentence, weights: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The scores of a sentence's candidates, by the formula of Clark et al. 2019, 5.1."""
    count = len(one.heads)
    maps = one.maps.numpy()
    scores = np.full((count, count), -np.inf)
    for word in range(FIRST_WORD, count):
        for candidate in (ROOT, *range(FIRST_WORD, count)):
            if candidate == word:
                continue
            if name == DISTANCES_AND_WORDS:
                features = np.zeros(2 * FURTHEST + 2)
                features[-1 if candidate == ROOT else candidate - word + FURTHEST] = 1
            else:
                features = np.append(maps[:, word, candidate], maps[:, candidate, word])
            pair = [vectors[one.words[word]], vectors[one.words[candidate]]]
            scores[word, candidate] = sum(
                vector @ side @ features for vector, side in zip(pair, weights, strict=False)
            )
    return scores


@pytest.mark.parametrize("name", [ATTENTION, DISTANCES_AND_WORDS, ATTENTION_AND_WORDS])
def test_scores_are_those_of_the_formula(name):
    sentences, vectors = some_sentences(5), vectors_of(name)
    batch = joined(sentences)
    probe = Variant(name, "", SOUND).probe(vectors.shape[1], [batch])
    probe.spreads = torch.ones_like(probe.spreads)
    weights = torch.randn(probe.shapes[0], generator=torch.Generator().manual_seed(2))
    found = probe.scores(batch, probe.of_vectors([weights], vectors))
    found = found.masked_fill(~batch.candidates, -torch.inf)
    for row, one in enumerate(sentences):
        count = len(one.heads)
        known = found[row, FIRST_WORD:count, :count].numpy()
        expected = by_loops(name, one, weights.numpy(), vectors.numpy())[FIRST_WORD:]
        assert known == pytest.approx(expected, abs=1e-4)
        assert torch.isinf(found[row, :count, count:]).all()  # padding is nobody's head


@pytest.mark.parametrize("name", [ATTENTION, DISTANCES_AND_WORDS, ATTENTION_AND_WORDS])
def test_the_fit_is_that_of_another_optimiser(name):
    sentences, vectors = some_sentences(25), vectors_of(name)
    parts = [part for _, part in batches(sentences)]
    probe = Variant(name, "", SOUND).probe(vectors.shape[1], parts)
    shape, scale = probe.shapes[0], probe.spreads.numpy()
    words = sum(int(one.scored.sum()) for one in sentences)

    def loss(flat):
        weights = flat.reshape(shape)
        total = 2.0 / 2 * np.sum(flat**2)
        for one in sentences:
            for word, row in enumerate(by_loops(name, one, weights / scale, vectors.numpy())):
                if one.heads[word] >= 0:
                    total += np.logaddexp.reduce(row) - row[one.heads[word]]
        return total / words

    # The loss has seven digits: on some processors it stands still before the gradient is smaller.
    found = fit(probe, parts, vectors, 2.0, 500, 0, tolerance=5e-4)
    assert found.converged
    best = found.weights[0].double().numpy().ravel()
    assert found.loss == pytest.approx(loss(best), abs=1e-5)
    # Derivative-free steps along any line from there find nothing better.
    generator = np.random.default_rng(0)
    for _ in range(5):
        line = generator.normal(size=best.shape)
        line /= np.linalg.norm(line)
        step = minimize(lambda t, line=line: loss(best + t[0] * line), [0.0], method="Nelder-Mead")
        assert step.fun > found.loss - 1e-5


@pytest.mark.parametrize("name", [ATTENTION, ATTENTION_AND_WORDS])
def test_more_steps_change_nothing_and_nor_does_the_scale_of_maps(name):
    sentences, vectors = some_sentences(60), vectors_of(name)
    own = fitted(name, sentences, vectors, 200)
    assert own[0].converged
    assert own[0].steps < 200
    for again in (
        fitted(name, sentences, vectors, 2 * own[0].steps, tolerance=1e-6),
        fitted(name, scaled(sentences, [0.05] * HEADS), vectors, 200),
        fitted(name, scaled(sentences, [3.0, 0.01, 1.0]), vectors, 200),
    ):
        assert again[0].loss == pytest.approx(own[0].loss, abs=1e-4)
        assert np.mean(again[1] != own[1]) < 0.01


def fitted(name, sentences, vectors, iterations, **tolerance):
    parts = [part for _, part in batches(sentences)]
    probe = Variant(name, "", SOUND).probe(vectors.shape[1], parts)
    found = fit(probe, parts, vectors, 1.0, iterations, 0, **tolerance)
    told = predict(probe, found.weights, sentences, vectors)
    return found, torch.cat([heads[FIRST_WORD:] for heads in told]).numpy()


def scaled(sentences, by_head):
    factors = torch.tensor(by_head)[:, None, None]
    return [replace(one, maps=one.maps * factors) for one in sentences]


def test_a_fit_that_is_cut_short_says_so():
    assert not fitted(ATTENTION, some_sentences(60), vectors_of(ATTENTION), 2)[0].converged


@pytest.mark.parametrize("back", [False, True])
def test_attention_to_the_head_and_from_it_is_learnt(back):
    generator = np.random.default_rng(0)
    sentences = []
    for _ in range(40):
        gold = random_heads(generator, 5)
        sentences.append(sentence(pointing(random_maps(generator, 3, 5), 2, gold, back), gold))
    found, told = fitted_and_told(ATTENTION, SOUND, sentences, torch.ones(1, 1))
    assert told == 1.0
    # Only the third head's weight in that direction matters.
    strongest = found.weights[0].abs().argmax()
    assert strongest == (5 if back else 2)


def fitted_and_told(name, choices, sentences, vectors):
    """A fit, and the share of words whose head it finds in what it has seen."""
    parts = [part for _, part in batches(sentences)]
    probe = Variant(name, "", choices).probe(vectors.shape[1], parts)
    found = fit(probe, parts, vectors, 0.01, 500, 0)
    told = predict(probe, found.weights, sentences, vectors)
    right = [(heads == one.heads)[one.scored] for heads, one in zip(told, sentences, strict=True)]
    return found, float(torch.cat(right).float().mean())


def test_the_root_by_cls_or_by_sep_as_well():
    """Words attend to their heads; roots, half of all words, to [SEP] and not to [CLS]."""
    generator = np.random.default_rng(0)
    sentences = []
    for _ in range(30):
        gold = [-1 if word % 2 else h for word, h in enumerate(random_heads(generator, 6))]
        gold = [1 if h == -1 and not word % 2 else h for word, h in enumerate(gold)]
        maps = pointing(random_maps(generator, 2, 6), 1, gold)
        maps[:, :, [ROOT, SEP]] = maps[:, :, [SEP, ROOT]]
        sentences.append(sentence(maps, gold))
    scores = {
        root: fitted_and_told(
            ATTENTION, SOUND.model_copy(update={"root": root}), sentences, torch.ones(1, 1)
        )[1]
        for root in ("cls", "cls and sep")
    }
    assert scores["cls and sep"] == 1.0
    assert scores["cls"] < 0.75


def test_a_penalty_leaves_the_shares_of_cls_and_sep_alone():
    """So large a penalty lets no weight of attention live, and pulls the shares nowhere."""
    vectors = torch.ones(1, 1)
    parts = [part for _, part in batches(some_sentences(20, vectors=2))]
    probe = Variant(ATTENTION, "", SOUND.model_copy(update={"root": "cls and sep"})).probe(1, parts)
    found = fit(probe, parts, vectors.expand(2, 1), 1e6, 50, 0)
    attention, shares = found.weights
    assert float(attention.abs().max()) < 1e-2
    assert shares.tolist() == pytest.approx([0.5, 0.5], abs=0.01)


def test_without_a_root_nothing_is_known_of_attention_to_it():
    generator = np.random.default_rng(0)
    maps, gold = random_maps(generator, 2, 4), [1, -1, 1, 1]
    weights = [torch.randn(1, 1, 4, generator=torch.Generator().manual_seed(0))]
    batch = joined([sentence(maps, gold)])
    choices = SOUND.model_copy(update={"root": None})
    probe = Variant(ATTENTION, "", choices).probe(1, [batch])
    scores = probe.scores(batch, probe.of_vectors(weights, torch.ones(1, 1)))
    assert (scores[..., ROOT] == 0).all()
    assert (scores[..., FIRST_WORD:] != 0).any()


@pytest.mark.parametrize("distances", ["linear", "network"])
@pytest.mark.parametrize("offset", [-2, 1])
def test_distances_are_learnt_with_their_direction(distances, offset):
    """Each word hangs on the one at an offset, on the root where there is none."""
    sentences = []
    for length in (4, 5, 6, 7) * 5:
        gold = [w + offset if 0 <= w + offset < length else -1 for w in range(length)]
        sentences.append(sentence(np.zeros((1, length + 2, length + 2)), gold, words=[1] * length))
    choices = SOUND.model_copy(update={"distances": distances})
    vectors = torch.tensor([[0.0, 1.0], [1.0, 1.0]])
    # Where there is no such word the root is what is left.
    assert fitted_and_told(DISTANCES_AND_WORDS, choices, sentences, vectors)[1] == 1.0


def test_vectors_of_candidates_are_aligned_or_begin_in_the_roots_column():
    words = torch.tensor([[0, 0, 7, 8, 9], [0, 0, 4, 5, 0]])
    assert shifted(words, SOUND).tolist() == words.tolist()
    assert shifted(words, ORIGINAL).tolist() == [[7, 0, 8, 9, 0], [4, 0, 5, 0, 0]]


def test_each_probe_stands_once_for_every_choice_that_changes_it():
    found = [(one.name, one.label) for one in variants([SOUND, ORIGINAL], True)]
    assert found == [
        (RIGHT_BRANCHING, ""),
        (ATTENTION, ""),
        (ATTENTION, "root by [CLS] and [SEP]"),
        (DISTANCES_AND_WORDS, ""),
        (DISTANCES_AND_WORDS, "vectors off by one, network of 256 units"),
        (ATTENTION_AND_WORDS, ""),
        (ATTENTION_AND_WORDS, "root by [CLS] and [SEP], vectors off by one"),
    ]
    assert [one.name for one in variants([SOUND], False)] == [RIGHT_BRANCHING, ATTENTION]


def test_distinct_vectors_and_their_places():
    texts = [torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[3.0, 4.0]])]
    table, places = distinct(texts)
    assert table[0].tolist() == [0, 0]
    assert len(table) == 3
    for text, place in zip(texts, places, strict=True):
        assert torch.equal(table[place], text)


def test_vectors_are_standardised_by_the_words_that_are_trained_on():
    table = torch.tensor([[0.0, 0.0], [1.0, 2.0], [5.0, 2.0], [-9.0, 7.0]])
    found = standardised(table, torch.tensor([4.0, 3.0, 1.0, 0.0]), 2)
    # The mean of three (1, 2) and one (5, 2) is (2, 2); they lie 1, 1, 1 and 3 away from it.
    first = found[:, 0] * torch.sign(found[2, 0])
    assert first.tolist() == pytest.approx([0, -1 / 3**0.5, 3**0.5, -11 / 3**0.5])
    assert found[:, 1].abs().tolist() == pytest.approx([0, 0, 0, 5 / 3**0.5])
    assert found[:, 2].tolist() == [1.0] * 4
    assert standardised(table, torch.tensor([4.0, 3.0, 1.0, 0.0]), 1).shape == (4, 2)
