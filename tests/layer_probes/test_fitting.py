"""Probes: what is planted is learnt and nothing else, and none changes what another learns."""

import numpy as np
import pytest
import torch

from stages.layer_probes.fitting import fit_probes, gradient, predicted_words, state_spreads
from stages.layer_probes.sentences import NO_TARGET
from stages.layer_probes.states import state_file
from tests.layer_probes.planted import PLANTED, SIZE, STATES, first, planted

TRAINING = {"epochs": 6, "batch": 50, "learning_rate": 2e-2, "seed": 0}
TAUGHT, EVERY = 400, 1000


def held_out_accuracy(states, sentences, weights, probe):
    """Of every state, on the sentences that were not learnt on; and what chance gives."""
    told = predicted_words(states, TAUGHT, EVERY, weights, batch=64)[:, :, probe]
    target = sentences.targets[TAUGHT:, probe]
    asked = target != NO_TARGET
    chance = np.mean([1 / len(words) for words in sentences.words[TAUGHT:]])
    return (told == target[:, None])[asked].float().mean(0).numpy(), chance


def test_a_planted_direction_is_learnt_in_its_layer_and_nothing_anywhere_else(tmp_path):
    with planted(tmp_path, EVERY, probes=2) as (states, sentences):
        weights = fit_probes(states, first(sentences, TAUGHT), **TRAINING)
        found, chance = held_out_accuracy(states, sentences, weights, probe=0)
        noise, _ = held_out_accuracy(states, sentences, weights, probe=1)
    assert found[PLANTED] == 1
    others = np.concatenate([np.delete(found, PLANTED), noise])
    assert (abs(others - chance) < 4 * np.sqrt(chance * (1 - chance) / 450)).all()


def test_a_probe_learns_the_same_by_itself(tmp_path):
    with planted(tmp_path, 200, probes=3) as (states, sentences):
        together = fit_probes(states, sentences, **TRAINING)
        for probe in range(3):
            alone = fit_probes(states, sentences.of_probe(probe), **TRAINING)
            torch.testing.assert_close(together[:, [probe]], alone, rtol=1e-4, atol=1e-5)
    assert together.abs().amax((0, 2)).min() > 0.1


def test_the_gradient_is_that_of_the_mean_cross_entropy_of_each_probe():
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(2, 7, 4, generator=generator)
    weights = torch.randn(2, 3, 4, generator=generator, requires_grad=True)
    lengths = np.array([4, 3])
    targets = torch.tensor([[0, 2, NO_TARGET], [1, NO_TARGET, NO_TARGET]])
    scores = states @ weights.mT
    of_sentences = [scores[:, :4], scores[:, 4:]]
    loss = torch.tensor(0.0)
    for sentence, probe, target, share in ((0, 0, 0, 2), (1, 0, 1, 2), (0, 1, 2, 1)):
        likely = of_sentences[sentence][:, :, probe].log_softmax(1)
        loss = loss - likely[:, target].sum() / share
    loss.backward()
    found = gradient(states, weights.detach(), lengths, targets)
    torch.testing.assert_close(found, weights.grad)
    assert not found[:, 2].any()


def test_spreads_are_of_differences_within_a_sentence(tmp_path):
    """Numbers: differing within; between sentences alone; not at all."""
    with state_file(tmp_path, [2, 2], (1, 3)) as states:
        for sentence, level in enumerate((0.0, 100.0)):
            own = np.array([[[1, level, 5]], [[-1, level, 5]]], dtype=np.float16)
            states.write(sentence, own)
        found = state_spreads(states, 2, batch=1)
    assert found.numpy() == pytest.approx(np.array([[1, 1e-3, 1e-3]]))


def test_predictions_are_of_the_words_of_the_sentence_alone(tmp_path):
    """In the longer sentence the last word wins, in the shorter one its own last."""
    with state_file(tmp_path, [2, 4], (1, 1)) as states:
        states.write(0, np.array([-9, -8], dtype=np.float16).reshape(2, 1, 1))
        states.write(1, np.array([1, 2, 3, 4], dtype=np.float16).reshape(4, 1, 1))
        told = predicted_words(states, 0, 2, torch.tensor([[[1.0], [-1.0]]]), batch=2)
    assert told[:, 0].tolist() == [[1, 0], [3, 0]]


def test_states_of_noise_alone_teach_nothing(tmp_path):
    with planted(tmp_path, EVERY, probes=1, planted_at=None) as (states, sentences):
        weights = fit_probes(states, first(sentences, TAUGHT), **TRAINING)
        found, chance = held_out_accuracy(states, sentences, weights, probe=0)
    assert weights.shape == (STATES, 1, SIZE)
    assert (abs(found - chance) < 4 * np.sqrt(chance * (1 - chance) / 450)).all()
