"""Gradients of attention weights: against those of gates, and by kind of token."""

from functools import partial

import numpy as np
import pytest
import torch

from stages.core.encoder.batches import encode
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.intervals.groups import resampled_means
from stages.core.maps.gradient_tables import GRADIENT_COLUMNS, TOKEN_KINDS
from stages.core.maps.statistics import KindIds
from stages.core.maps.weight_gradients import kind_table, layer_table, weight_gradients
from stages.core.tasks.examples import examples_frame
from stages.gradients.stage import task_loss
from stages.importance.gate_gradients import gate_gradients

TEXTS = ["the dog sees , a cat .", "the teacher reads the book"]
LABELS = np.array([0.0, 2.0])


@pytest.fixture
def encoded(tiny_checkpoints):
    tokenizer = load_tokenizer(tiny_checkpoints["minilm"])
    examples = examples_frame(
        [{"id": str(row), "text_a": text, "label": 0.0} for row, text in enumerate(TEXTS)]
    )
    return tokenizer, encode(tokenizer, examples, 32)


def batch_of(texts):
    (batch,) = texts.batches(2)
    return batch


def loss(logits, batch):
    return task_loss(logits, batch, LABELS, "classification")


def test_weights_times_gradients_are_the_gradient_of_the_heads_gate(tiny_classifier, encoded):
    """Scaling a head scales all of its weights: the chain rule."""
    gated = Gated(tiny_classifier)
    expected = gate_gradients(gated, encoded[1], LABELS, "classification", 2, torch.device("cpu"))
    gated.model.get_input_embeddings().weight.requires_grad_(True)
    (batch,) = encoded[1].batches(2)
    real = batch.inputs["attention_mask"].bool()
    for layer, (maps, gradients) in enumerate(weight_gradients(gated, batch, loss)):
        products = (maps * gradients * real[:, None, :, None]).sum((-2, -1))
        np.testing.assert_allclose(products, expected[batch.rows, layer], atol=1e-5)


def test_kinds_have_means_sums_and_attention(tiny_classifier, encoded):
    tokenizer, texts = encoded
    gated = Gated(tiny_classifier)
    kinds = KindIds.of(tokenizer, [".", ","])
    found = kind_table(gated, texts.batches(2), kinds, loss, 2)
    heads = gated.layers * gated.heads
    assert found["summed"].shape == (len(TOKEN_KINDS), heads, 2)
    assert np.isnan(found["summed"][TOKEN_KINDS.index("punctuation"), :, 1]).all()
    np.testing.assert_allclose(np.nansum(found["attention"], axis=0), 1, atol=1e-5)
    # The first text has 9 tokens, one [CLS]: 9 weights go to it.
    cls = TOKEN_KINDS.index("cls")
    np.testing.assert_allclose(found["summed"][cls, :, 0], 9 * found["per_weight"][cls, :, 0])
    # Alone or in a batch, a text's gradients are its own.
    alone = kind_table(gated, texts.batches(1), kinds, loss, 2)
    np.testing.assert_allclose(alone["summed"], found["summed"], rtol=1e-5, atol=1e-5)
    # The second has 7 tokens, 5 of them words: 35 weights, of which 7 of [SEP] go nowhere else.
    words = TOKEN_KINDS.index("words")
    np.testing.assert_allclose(found["summed"][words, :, 1], 35 * found["per_weight"][words, :, 1])
    signs = [gradients.sign() for _, gradients in weight_gradients(gated, batch_of(texts), loss)]
    assert all((sign < 0).any() and (sign > 0).any() for sign in signs)
    assert (found["summed"][words] >= 0).all()
    means = partial(resampled_means, groups=np.arange(2), resamples=20, seed=0)
    table = layer_table(found, gated.layers, means)
    assert len(table) == gated.layers * len(TOKEN_KINDS)
    row = table[(table["layer"] == 1) & (table["kind"] == "sep")].iloc[0]
    own = found["summed"][TOKEN_KINDS.index("sep"), gated.heads : 2 * gated.heads]
    assert row["summed"] == pytest.approx(own.mean())
    assert row["texts"] == 2
    assert {len(line) for line in table["summed_drawn"]} == {20}
    assert "attention_drawn" not in table


def test_every_weight_to_a_kind_counts_by_its_size(tiny_classifier, encoded):
    """[CLS], 7 pieces of which the fourth and the last are punctuation, [SEP]; then 5 words."""
    tokenizer, texts = encoded
    gated = Gated(tiny_classifier)
    found = kind_table(gated, texts.batches(2), KindIds.of(tokenizer, [".", ","]), loss, 2)
    batch = batch_of(texts)
    marks = {tokenizer.convert_tokens_to_ids(mark) for mark in (".", ",")}
    layers = weight_gradients(gated, batch, loss)
    for place, row in enumerate(batch.rows):
        length = int(batch.lengths[place])
        ids = batch.inputs["input_ids"][place, :length].tolist()
        kinds = ["punctuation" if number in marks else "words" for number in ids]
        kinds[0], kinds[-1] = "cls", "sep"
        assert kinds.count("punctuation") == (2 if row == 0 else 0)
        for layer, head in np.ndindex(gated.layers, gated.heads):
            maps, gradients = (part[place, head].double().numpy() for part in layers[layer])
            summed, attention = dict.fromkeys(kinds, 0.0), dict.fromkeys(kinds, 0.0)
            for query, key in np.ndindex(length, length):
                summed[kinds[key]] += abs(gradients[query, key])
                attention[kinds[key]] += maps[query, key] / length
            line = layer * gated.heads + head
            for kind in summed:
                cell = TOKEN_KINDS.index(kind), line, row
                assert found["summed"][cell] == pytest.approx(summed[kind], rel=1e-4)
                assert found["attention"][cell] == pytest.approx(attention[kind], rel=1e-4)


def test_resamples_stand_beside_their_rows_and_columns():
    """Two layers of two heads, six texts; one kind that no text has, one that three have."""
    generator = np.random.default_rng(0)
    found = {
        name: 10.0**number + generator.normal(size=(len(TOKEN_KINDS), 4, 6))
        for number, name in enumerate(GRADIENT_COLUMNS)
    }
    for values in found.values():
        values[TOKEN_KINDS.index("cls")] = np.nan
        values[TOKEN_KINDS.index("punctuation"), :, :3] = np.nan
    means = partial(resampled_means, groups=np.arange(6), resamples=30, seed=0)
    table = layer_table(found, 2, means)
    assert set(table["kind"]) == {"sep", "punctuation", "words"}
    counts = table.drop_duplicates("kind").set_index("kind")["texts"]
    assert counts.to_dict() == {"sep": 6, "punctuation": 3, "words": 6}
    for column in ("summed", "per_weight"):
        for row in table.to_dict("records"):
            layer, kind = row["layer"], TOKEN_KINDS.index(row["kind"])
            own = found[column][kind, 2 * layer : 2 * layer + 2]
            assert row[column] == pytest.approx(np.nanmean(own))
            assert np.nanmean(row[f"{column}_drawn"]) == pytest.approx(np.nanmean(own), abs=0.4)
