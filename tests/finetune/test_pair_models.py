"""The LSTM across the pair and the two towers: what they read, what they see, what they learn."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch.nn.functional import cross_entropy

from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.stage.files import InputError
from stages.finetune.pair_baselines.models import (
    LstmAcross,
    PairModel,
    Towers,
    pooled,
    soft_alignment,
)
from stages.finetune.pair_baselines.texts import (
    NEITHER,
    Texts,
    apart,
    encode_apart,
    known_words,
    renumbered,
)

PAIRS = pd.DataFrame(
    {
        "text_a": ["the dog", "a small old red house in the garden", "a cat .", "not a book"],
        "text_b": ["a dog likes the song", "the river", "the child reads a book", "bad"],
    }
)
KINDS = ("lstm", "towers")


def model_of(kind: str, checkpoint: Path, outputs: int = 3) -> PairModel:
    """A model with few units on a tiny encoder, for evaluation."""
    encoder, padding = load_encoder(checkpoint), load_tokenizer(checkpoint).pad_token_id
    words = encoder.get_input_embeddings().weight.detach()
    common = {"outputs": outputs, "padding": padding}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        if kind == "towers":
            return Towers(encoder, words, **common).eval()
        return LstmAcross(words, size=6, dropout=0.5, **common).eval()


def logits(model: PairModel, encoded: Encoded, rows: list[int], **more: int) -> torch.Tensor:
    with torch.inference_mode():
        return model(**encoded.batch(np.array(rows), **more).inputs).logits


def encoded_pairs(checkpoint: Path, examples: pd.DataFrame = PAIRS) -> Encoded:
    return encode_apart(load_tokenizer(checkpoint), examples, 32, "toy")


def test_texts_apart_by_hand() -> None:
    ids = torch.tensor([[2, 8, 3, 2, 9, 9, 3], [2, 7, 7, 3, 2, 3, 0]])
    text = torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, NEITHER]])
    texts = apart(ids, text, padding=0)
    assert texts.ids.tolist() == [[2, 8, 3, 0], [2, 7, 7, 3], [2, 9, 9, 3], [2, 3, 0, 0]]
    assert texts.real.sum(dim=1).tolist() == [3, 4, 4, 2]
    assert (texts.ids[~texts.real] == 0).all()


def test_each_text_is_read_as_if_it_were_alone(any_checkpoint: Path) -> None:
    tokenizer, encoded = load_tokenizer(any_checkpoint), encoded_pairs(any_checkpoint)
    batch = encoded.batch(np.arange(len(PAIRS)))
    texts = apart(**batch.inputs, padding=tokenizer.pad_token_id)
    found = [ids[real].tolist() for ids, real in zip(*texts, strict=True)]
    # A leading space, where a tokenizer has one for second texts, is the pair's.
    whole = tokenizer(PAIRS["text_a"].tolist())["input_ids"]
    assert found[: len(PAIRS)] == whole
    joint = encode(tokenizer, PAIRS, 32)
    assert len(set(encoded.lengths - joint.lengths)) == 1, "batches are not those of the encoder"
    short = encode_apart(tokenizer, PAIRS, 9, "toy")
    assert len(set(short.lengths - encode(tokenizer, PAIRS, 9).lengths)) == 1
    assert short.lengths.max() < encoded.lengths.max()


def test_single_texts_are_refused(tiny_bert: Path) -> None:
    single = PAIRS.assign(text_b=None)
    with pytest.raises(InputError, match=r"pair_baselines\.tasks` has toy, .* single"):
        encoded_pairs(tiny_bert, single)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(any_checkpoint: Path, kind: str) -> None:
    model, encoded = model_of(kind, any_checkpoint), encoded_pairs(any_checkpoint)
    rows = list(range(len(PAIRS)))
    together = logits(model, encoded, rows)
    assert together.shape == (4, 3)
    assert torch.equal(together, logits(model, encoded, rows, pad_to=40))
    alone = torch.cat([logits(model, encoded, [row]) for row in rows])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-4)
    assert together.std(dim=0).min() > 1e-4, "all pairs are alike to it"


def test_soft_alignment_by_hand() -> None:
    """Two texts of one unit; products of ln 3 and 0 give weights of 3/4 and 1/4."""
    log_3 = float(np.log(3))
    first = [[1.0], [0.0], [5.0]]  # the third token is padding
    second = [[log_3], [0.0], [9.0]]
    states = torch.tensor([first, second])
    real = torch.tensor([[True, True, False], [True, True, False]])
    aligned = soft_alignment(states, real)[:, :2, 0]
    expected = [[0.75 * log_3, 0.5 * log_3], [0.75, 0.5]]
    torch.testing.assert_close(aligned, torch.tensor(expected))


def test_pooling_leaves_padding_out() -> None:
    states = torch.tensor([[[1.0, -4.0], [3.0, -2.0], [90.0, 90.0]]])
    found = pooled(states, torch.tensor([[True, True, False]]))
    assert found.tolist() == [[2.0, -3.0, 3.0, -2.0]]


def test_towers_do_not_see_across_and_the_lstm_does(tiny_bert: Path) -> None:
    other = PAIRS.assign(text_b=PAIRS["text_b"].tolist()[::-1])
    sides = [encoded_pairs(tiny_bert, pairs).batch(np.arange(4)).inputs for pairs in (PAIRS, other)]
    texts = [apart(**inputs, padding=0) for inputs in sides]
    towers = model_of("towers", tiny_bert)
    with torch.inference_mode():
        one, two = (towers.vectors(side) for side in texts)
    torch.testing.assert_close(one[:4], two[:4], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(one[4:], two[4:].flip(0), atol=1e-5, rtol=1e-4)
    # Vectors stand where their texts do, and are those of the encoder by itself.
    for row, text in enumerate([*PAIRS["text_a"], *PAIRS["text_b"]]):
        inputs = load_tokenizer(tiny_bert)(text, return_tensors="pt")
        with torch.inference_mode():
            alone = load_encoder(tiny_bert)(**inputs).last_hidden_state[0, 0]
        torch.testing.assert_close(one[row], alone, atol=1e-5, rtol=1e-4)
    states = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
    real = torch.ones(2, 3, dtype=torch.bool)
    changed = torch.stack([states[0], states[1].flip(1)])
    assert not torch.allclose(soft_alignment(states, real)[0], soft_alignment(changed, real)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_words_that_no_text_has_change_nothing(any_checkpoint: Path, kind: str) -> None:
    """Neither before tuning nor after some steps of it."""
    padding = load_tokenizer(any_checkpoint).pad_token_id
    encoded = encoded_pairs(any_checkpoint)
    words = load_encoder(any_checkpoint).get_input_embeddings().weight.detach()
    kept, place = known_words([encoded], padding, len(words))
    assert len(kept) < len(words)
    few = model_of(kind, any_checkpoint)
    table = few.encoder.get_input_embeddings() if kind == "towers" else few.words
    table.weight = torch.nn.Parameter(table.weight.detach()[kept])
    sides = [(model_of(kind, any_checkpoint), encoded), (few, renumbered(encoded, place))]
    rows, labels = list(range(4)), torch.tensor([0, 1, 2, 0])
    for model, texts in sides:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        for _ in range(3):
            loss = cross_entropy(model(**texts.batch(np.array(rows)).inputs).logits, labels)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    found = [logits(model, texts, rows) for model, texts in sides]
    torch.testing.assert_close(*found, atol=1e-4, rtol=1e-3)


def test_padding_keeps_its_number() -> None:
    encoded = Encoded({"input_ids": [[0, 5, 9]]}, {"input_ids": 1}, [[0, 0, 1]])
    kept, place = known_words([encoded], 1, 12)
    assert kept.tolist() == [0, 1, 5, 9]
    assert renumbered(encoded, place).inputs["input_ids"] == [[0, 2, 3]]
    assert set(place[[2, 3, 4, 6, 11]]) == {1}


def same_or_not(count: int, seed: int) -> tuple[pd.DataFrame, torch.Tensor]:
    """Pairs of words; what decides is whether both texts have the same one, and no word alone."""
    nouns = ["dog", "cat", "house", "garden", "river", "book"]
    generator = np.random.default_rng(seed)
    first = generator.integers(len(nouns), size=count)
    same = np.arange(count) % 2 == 0
    second = np.where(same, first, (first + generator.integers(1, len(nouns), count)) % len(nouns))
    pairs = pd.DataFrame(
        {
            "text_a": [f"the old {nouns[place]}" for place in first],
            "text_b": [f"a child sees the {nouns[place]} ." for place in second],
        }
    )
    return pairs, torch.tensor(same.astype(int))


def test_the_lstm_learns_what_only_a_look_across_tells(tiny_bert: Path) -> None:
    model = model_of("lstm", tiny_bert, outputs=2).train()
    pairs, labels = same_or_not(256, 0)
    encoded = encoded_pairs(tiny_bert, pairs)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2)
    generator = torch.Generator().manual_seed(0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        torch.nn.Module.apply(model, lambda one: setattr(one, "p", 0.0))
        for _ in range(120):
            rows = torch.randperm(256, generator=generator)[:32].numpy()
            loss = cross_entropy(model(**encoded.batch(rows).inputs).logits, labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    held_out, truth = same_or_not(100, 1)
    found = logits(model.eval(), encoded_pairs(tiny_bert, held_out), list(range(100)))
    assert (found.argmax(dim=1) == truth).float().mean() > 0.9


def test_the_shape_of_a_batch_of_one(tiny_bert: Path) -> None:
    texts = Texts(
        torch.tensor([[2, 8, 3], [2, 3, 0]]), torch.tensor([[True] * 3, [True, True, False]])
    )
    for kind in KINDS:
        assert model_of(kind, tiny_bert).logits(texts).shape == (1, 3)
