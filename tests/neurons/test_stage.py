"""Neurons that carry a score, by hand; embeddings removed and put back."""

import pytest
import torch

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_encoder, load_tokenizer
from stages.core.encoder.families import layer_modules
from stages.core.heads.seam import Gated
from stages.core.recordings.recording import LiveRecording
from stages.core.recordings.tokens import token_table
from stages.neurons.__main__ import neuron_shares, without
from tests.oracle import oracle_corpus


def test_shares_and_signs_by_hand():
    """Two tokens; each attends to the other by one neuron, or by two of opposite signs."""
    maps = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    queries = torch.tensor([[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]])
    keys = torch.tensor([[[3.0, 1.0, 9.0], [-3.0, -1.0, -9.0]]])
    shares, consistency = neuron_shares(queries, keys, maps, 2)
    # The mean key is 0: parts (-3, -1, 0) and (3, 1, 0).
    torch.testing.assert_close(shares, torch.tensor([[0.75, 1.0]]))
    assert consistency.item() == 0  # each neuron pulls once up, once down
    queries[0, 0] *= -1
    _, consistency = neuron_shares(queries, keys, maps, 2)
    assert consistency.item() == pytest.approx(1)


def test_neurons_that_take_turns_are_not_few():
    """At each of two tokens another neuron does all."""
    maps = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    queries = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
    keys = torch.tensor([[[1.0, 1.0], [-1.0, -1.0]]])
    shares, _ = neuron_shares(queries, keys, maps, 2)
    torch.testing.assert_close(shares, torch.tensor([[0.5, 1.0]]))


def test_what_is_the_same_for_all_keys_does_not_count():
    maps = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    queries = torch.ones(1, 2, 2)
    keys = torch.tensor([[[3.0, 100.0], [-3.0, 100.0]]])
    shares, _ = neuron_shares(queries, keys, maps, 1)
    assert shares.item() == pytest.approx(1)


@pytest.fixture
def recording(any_checkpoint):
    tokenizer = load_tokenizer(any_checkpoint)
    corpus = oracle_corpus(3)
    encoded = encode(tokenizer, corpus, 60)
    tokens = token_table(tokenizer, corpus, encoded, 60)
    return LiveRecording("untuned", Gated(load_encoder(any_checkpoint)), tokens, encoded)


def test_queries_and_keys_give_the_maps(recording):
    plain = list(recording.batches())
    for batch, (scored, queries, keys) in zip(plain, recording.scores(), strict=True):
        assert torch.equal(batch.maps, scored.maps)
        real = scored.real[:, None, None]
        scores = queries @ keys.mT * recording.gated.head_size**-0.5
        scores = scores.masked_fill(~real[..., None, :], float("-inf"))
        expected = scores.softmax(-1) * real[..., None]
        torch.testing.assert_close(scored.maps, expected, atol=1e-5, rtol=0)


@torch.no_grad()
def test_queries_are_those_of_the_model(recording):
    """Keys too, less what all of a head have in common: their bias."""
    modules = layer_modules(recording.gated.stack[1], recording.gated.family)
    seen = {}
    for name in ("query", "key"):
        getattr(modules, name).register_forward_hook(
            lambda module, inputs, output, name=name: seen.update({name: output})
        )
    batch, queries, keys = next(recording.scores())
    recording.gated(recording.encoded.batch(batch.rows).inputs)
    query, key = (
        seen[name].unflatten(-1, (recording.heads, -1)).transpose(1, 2) for name in ("query", "key")
    )
    torch.testing.assert_close(queries[:, 1], query, atol=1e-5, rtol=0)
    difference = (keys[:, 1] - key).transpose(1, 2).flatten(0, 1)
    torch.testing.assert_close(difference, difference[:1].expand_as(difference), atol=1e-5, rtol=0)
    assert difference.abs().max() > 0.01


def test_removed_embeddings_come_back(recording):
    def maps() -> torch.Tensor:
        return next(iter(recording.batches())).maps

    before = maps()
    with without(recording, recording.gated.family.position_embeddings) as there:
        assert there
        changed = maps()
    assert not torch.allclose(before, changed, atol=1e-4)
    assert torch.equal(before, maps())


def test_an_encoder_without_segments_says_so(tiny_checkpoints):
    tokenizer = load_tokenizer(tiny_checkpoints["distilbert"])
    corpus = oracle_corpus(1)
    encoded = encode(tokenizer, corpus, 60)
    gated = Gated(load_encoder(tiny_checkpoints["distilbert"]))
    tokens = token_table(tokenizer, corpus, encoded, 60)
    recording = LiveRecording("untuned", gated, tokens, encoded)
    with without(recording, gated.family.segment_embeddings) as there:
        assert not there
