"""Cosine of maps by hand, and on models whose likeness is known."""

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification

from stages.core.encoder.batches import Encoded
from stages.core.heads.seam import Gated
from stages.core.maps.similarity import cosines_by_head, map_cosine, similarities

LAYERS, HEADS, SIZE = 3, 4, 4


def tiny_model(seed: int) -> BertForSequenceClassification:
    config = BertConfig(
        vocab_size=50,
        hidden_size=HEADS * SIZE,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=32,
        max_position_embeddings=32,
        initializer_range=0.5,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return BertForSequenceClassification(config)


def encoded(lengths=(5, 9, 3, 9)) -> Encoded:
    generator = np.random.default_rng(0)
    ids = [generator.integers(1, 50, length).tolist() for length in lengths]
    inputs = {"input_ids": ids, "attention_mask": [[1] * length for length in lengths]}
    return Encoded(inputs, {"input_ids": 0, "attention_mask": 0}, [[0] * n for n in lengths])


def maps(model: BertForSequenceClassification) -> torch.Tensor:
    """[layer, batch, head, query, key] of one example."""
    recorded = []
    (batch,) = encoded((9,)).batches(1)
    with torch.inference_mode():
        Gated(model)(batch.inputs, record_maps=lambda layer, found: recorded.append(found))
    return torch.stack(recorded)


def test_cosine_by_hand():
    first = torch.tensor([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]])[None]
    second = torch.tensor([[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]])[None]
    both = torch.tensor([[True, True]])
    np.testing.assert_allclose(map_cosine(first, second, both), [[0.5, 0.0]], atol=1e-7)
    # The first row alone: equal in head 0, orthogonal in head 1.
    upper = torch.tensor([[True, False]])
    np.testing.assert_allclose(map_cosine(first, second, upper), [[1.0, 0.0]], atol=1e-7)


@pytest.mark.parametrize("pad_to", [None, 16])
def test_equal_models_give_exactly_one(pad_to):
    first, second = Gated(tiny_model(0)), Gated(tiny_model(0))
    cosines = similarities(first, [second], encoded(), 3, torch.device("cpu"), pad_to)[0]
    assert cosines.shape == (4, LAYERS, HEADS)
    assert (cosines == 1).all()


def test_heads_in_another_order_are_found_at_their_new_place():
    order = np.random.default_rng(5).permutation(HEADS)
    assert (order != np.arange(HEADS)).any()
    rows = np.arange(HEADS * SIZE).reshape(HEADS, SIZE)[order].ravel()
    shuffled = tiny_model(0)
    with torch.no_grad():
        for layer in shuffled.bert.encoder.layer:
            attention = layer.attention
            for projection in (attention.self.query, attention.self.key, attention.self.value):
                projection.weight.copy_(projection.weight[rows])
                projection.bias.copy_(projection.bias[rows])
            attention.output.dense.weight.copy_(attention.output.dense.weight[:, rows])
    plain, other = Gated(tiny_model(0)), Gated(shuffled)
    # Beside it a model that is the same as before: each has its own cosines.
    both = similarities(plain, [plain, other], encoded(), 4, torch.device("cpu"))
    assert both.shape == (2, 4, LAYERS, HEADS)
    assert (both[0] == 1).all()
    cosines = both[1]
    moved = order != np.arange(HEADS)
    assert (cosines[:, :, moved] < 0.999).all()
    np.testing.assert_allclose(cosines[:, :, ~moved], 1, atol=1e-5)

    torch.testing.assert_close(maps(tiny_model(0))[:, :, order], maps(shuffled))


def test_cropped_similarity_ignores_padding_and_padded_does_not():
    models = Gated(tiny_model(0)), [Gated(tiny_model(1))]
    one_by_one = similarities(*models, encoded(), 1, torch.device("cpu"))
    together = similarities(*models, encoded(), 4, torch.device("cpu"))
    np.testing.assert_allclose(one_by_one, together, atol=1e-5)
    padded = similarities(*models, encoded(), 4, torch.device("cpu"), pad_to=16)
    assert np.abs(padded - together).max() > 1e-3


def test_cosines_by_head_are_means_with_intervals():
    cosines = np.random.default_rng(0).uniform(0.5, 1, size=(40, 2, 3))
    cosines[..., 1, 2] = 0.25
    table = cosines_by_head(cosines, resamples=500, seed=0)
    assert table[["layer", "head"]].to_numpy().tolist() == [
        [0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]
    ]  # fmt: skip
    np.testing.assert_allclose(table["cosine"], cosines.mean(0).ravel())
    varied = table.iloc[:5]
    assert (
        (varied["cosine_low"] < varied["cosine"]) & (varied["cosine"] < varied["cosine_high"])
    ).all()
    assert (table["examples"] == 40).all()
    drawn = np.stack(table["cosine_drawn"])
    assert drawn.shape == (6, 500)
    np.testing.assert_allclose(drawn[5], 0.25)
    error = cosines[:, 0, 1].std() / np.sqrt(40)
    assert drawn[1].std() == pytest.approx(error, rel=0.15)
