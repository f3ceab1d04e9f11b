"""States of words: those of the encoder's layers, and of its embeddings without position."""

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.stage.files import InputError
from stages.layer_probes.states import WordStates, state_file, state_table

SENTENCES = [("the", "dog", "sees", "the", "catz", "."), ("a", "cat", "likes", "the", "old", "dog")]


def word_states(folder, pieces="mean"):
    return WordStates(load_encoder(folder), load_tokenizer(folder), pieces)


def of_all(encoder, words=SENTENCES, **options):
    found = dict(encoder.of(words, **options))
    return [found[number].astype(np.float32) for number in range(len(words))]


@pytest.mark.parametrize("pieces", ["mean", "first"])
def test_states_are_those_of_every_layer_by_word(any_checkpoint, pieces):
    own = of_all(word_states(any_checkpoint, pieces))
    model = AutoModel.from_pretrained(any_checkpoint).eval()
    tokenizer = AutoTokenizer.from_pretrained(any_checkpoint)
    encoding = tokenizer("the dog sees the catz.", return_tensors="pt")
    with torch.no_grad():
        layers = model(**encoding, output_hidden_states=True).hidden_states
    offsets = tokenizer("the dog sees the catz.", return_offsets_mapping=True)["offset_mapping"]
    # RoBERTa's tokens may begin with the space before the word.
    places = [n for n, (start, end) in enumerate(offsets) if start < 21 and end > 17]
    chosen = places if pieces == "mean" else places[:1]
    expected = torch.stack(layers)[:, 0, chosen].mean(1)
    assert own[0].shape == (6, len(layers) + 1, model.config.hidden_size)
    np.testing.assert_allclose(own[0][4, 1:], expected.numpy(), rtol=2e-3, atol=2e-3)


def test_words_without_position_are_the_same_everywhere(any_checkpoint):
    """As "the" in three places, whose embeddings with position differ."""
    first, second = of_all(word_states(any_checkpoint))
    np.testing.assert_array_equal(first[3, 0], second[3, 0])
    inside = of_all(word_states(any_checkpoint), [("a", "the", "dog", "the", ".")])[0]
    np.testing.assert_array_equal(inside[1, 0], inside[3, 0])
    assert abs(inside[1, 1] - inside[3, 1]).max() > 0.01


def test_a_batch_of_one_gives_what_a_batch_of_all_gives(tiny_bert):
    encoder = word_states(tiny_bert)
    for one, other in zip(of_all(encoder), of_all(encoder, numbers=1), strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3)


def test_a_word_that_is_cut_away_is_refused(tiny_bert):
    with pytest.raises(InputError, match="leave it out"):
        list(word_states(tiny_bert).of([("dog",) * 100]))


def test_what_is_written_is_read_in_any_order_and_by_any_parts(tmp_path):
    generator = np.random.default_rng(0)
    lengths = [2, 1, 4]
    own = [generator.normal(size=(length, 3, 5)).astype(np.float16) for length in lengths]
    with state_file(tmp_path, lengths, (3, 5)) as states:
        for sentence in (2, 0, 1):
            states.write(sentence, own[sentence])
        for first, last in ((0, 3), (1, 2), (1, 3)):
            expected = np.concatenate(own[first:last]).astype(np.float32)
            np.testing.assert_array_equal(states.read(first, last).numpy(), expected)
    assert not list(tmp_path.iterdir())


def test_states_that_were_never_written_are_an_error(tmp_path):
    with state_file(tmp_path, [2], (1, 4)) as states, pytest.raises(EOFError):
        states.read(0, 1)


def test_embeddings_stand_before_the_layers():
    assert state_table(2).to_dict("list") == {
        "state": ["word embeddings", "embeddings", "layer", "layer"],
        "layer": [-1, -1, 0, 1],
    }
