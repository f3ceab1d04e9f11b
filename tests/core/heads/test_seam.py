import pytest
import torch
from transformers import AutoModel, AutoModelForSequenceClassification

from stages.core.heads.gate_batches import GateBatch
from stages.core.heads.layer_maps import layer_maps
from stages.core.heads.layers import attention_probabilities
from stages.core.heads.seam import Gated, attention


class OneLayer(torch.nn.Module):
    layer_idx = 0


@pytest.fixture
def padded(padded_classifier):
    """A classifier of each family, and token ids of lengths 9, 4 and 6, padded."""
    return padded_classifier([9, 4, 6])


def all_off(mode: str, gated: Gated, examples: int) -> GateBatch:
    off = torch.ones(examples, gated.layers, gated.heads)
    return GateBatch(mode, off, torch.zeros(gated.layers, gated.heads, gated.head_size))


@torch.no_grad()
def test_open_gate_is_the_unmodified_model(padded):
    model, inputs = padded
    expected = model(**inputs).logits
    gated = Gated(model)
    opened = GateBatch("zero", torch.zeros(3, gated.layers, gated.heads))
    torch.testing.assert_close(gated(inputs), expected)
    torch.testing.assert_close(gated(inputs, gate=opened), expected)


@torch.no_grad()
def test_turning_everything_off_changes_the_logits(padded):
    gated = Gated(padded[0])
    before = gated(padded[1])
    for mode in ("zero", "uniform", "mean"):
        after = gated(padded[1], gate=all_off(mode, gated, 3))
        assert (after - before).abs().max() > 1e-3, mode


@torch.no_grad()
def test_padding_does_not_reach_the_logits_or_the_maps(padded):
    gated = Gated(padded[0])
    for gate in (None, all_off("uniform", gated, 3)):
        together = gated(padded[1], gate=gate)
        alone = {name: tensor[1:2, :4] for name, tensor in padded[1].items()}
        one = gate and GateBatch(gate.mode, gate.off[1:2], gate.means)
        torch.testing.assert_close(gated(alone, gate=one), together[1:2], atol=1e-5, rtol=0)


@torch.no_grad()
def test_recorded_maps_are_probabilities_over_real_keys(padded):
    gated = Gated(padded[0])
    maps = {}
    recorded = gated(padded[1], record_maps=lambda layer, found: maps.update({layer: found}))
    torch.testing.assert_close(recorded, gated(padded[1]), atol=1e-5, rtol=0)
    assert list(maps) == list(range(gated.layers))
    for map in maps.values():
        assert map.shape == (3, gated.heads, 9, 9)
        torch.testing.assert_close(map.sum(-1), torch.ones(3, gated.heads, 9))
        assert map[1, :, :, 4:].count_nonzero() == 0


@torch.no_grad()
def test_maps_layer_by_layer_are_those_of_the_whole_model(padded):
    """In every family, padded and not, and the model is left as it was."""
    gated = Gated(padded[0])
    alone = {name: tensor[:1] for name, tensor in padded[1].items()}
    for inputs in (padded[1], alone):
        recorded = []
        before = gated(inputs, record_maps=lambda layer, maps, kept=recorded: kept.append(maps))
        found = list(layer_maps(gated, inputs))
        assert len(found) == gated.layers
        for one, other in zip(found, recorded, strict=True):
            torch.testing.assert_close(one, other, atol=1e-6, rtol=0)
        torch.testing.assert_close(gated(inputs), before, atol=1e-6, rtol=0)


def test_a_pass_that_breaks_off_leaves_the_model_whole(tiny_bert):
    gated = Gated(AutoModel.from_pretrained(tiny_bert))
    inputs = {"input_ids": torch.arange(5, 12)[None], "attention_mask": torch.ones(1, 7).long()}
    next(layer_maps(gated, inputs))
    with pytest.raises(IndexError):  # the vocabulary is smaller
        next(layer_maps(gated, inputs | {"input_ids": inputs["input_ids"] + 1_000_000}))
    assert gated.holder.layer is gated.stack


@torch.no_grad()
def test_zero_gate_equals_zeroing_the_input_of_the_output_projection(tiny_bert):
    model = AutoModelForSequenceClassification.from_pretrained(tiny_bert, num_labels=2).eval()
    inputs = {"input_ids": torch.arange(5, 12)[None], "attention_mask": torch.ones(1, 7).long()}
    gated = Gated(model)
    off = torch.zeros(1, gated.layers, gated.heads)
    off[0, 1, 2] = 1
    by_gate = gated(inputs, gate=GateBatch("zero", off))

    def zero_slice(_, positional):
        context = positional[0].clone()
        context[..., 2 * gated.head_size : 3 * gated.head_size] = 0
        return context, *positional[1:]

    hook = gated.stack[1].attention.output.register_forward_pre_hook(zero_slice)
    torch.testing.assert_close(gated(inputs), by_gate)
    hook.remove()
    assert not torch.allclose(gated(inputs), by_gate)


@torch.no_grad()
def test_record_outputs_gives_every_layer(tiny_bert):
    gated = Gated(AutoModel.from_pretrained(tiny_bert))
    shapes = {}
    gated(
        {"input_ids": torch.arange(5, 12)[None]},
        record_outputs=lambda layer, output, real: shapes.update({layer: output.shape}),
    )
    assert shapes == {layer: (1, gated.heads, 7, gated.head_size) for layer in range(gated.layers)}


def test_unknown_keyword_raises(tiny_bert):
    gated = Gated(AutoModel.from_pretrained(tiny_bert))
    with pytest.raises(TypeError, match="head_mask"):
        gated({"input_ids": torch.arange(5, 12)[None]}, head_mask=torch.ones(4))


def test_probabilities_by_hand():
    query = torch.tensor([[[[0.0], [1.0]]]])
    key = torch.log(torch.tensor([[[[1.0], [3.0]]]]))
    mask = torch.tensor([[[[True, False]]]])
    by_hand = torch.tensor([[[[0.5, 0.5], [0.25, 0.75]]]])
    torch.testing.assert_close(attention_probabilities(query, key, None, 1.0), by_hand)
    masked = attention_probabilities(query, key, mask, 1.0)
    assert masked.squeeze().tolist() == [[1, 0], [1, 0]]


def test_toy_attention_in_each_mode_by_hand():
    query = torch.tensor([[[[0.0], [1.0]]]])
    key = torch.log(torch.tensor([[[[1.0], [3.0]]]]))
    value = torch.tensor([[[[4.0], [8.0]]]])
    expected = {"zero": [0, 0], "uniform": [6, 6], "mean": [-1, -1]}
    output, weights = attention(OneLayer(), query, key, value, None, scaling=1.0)
    torch.testing.assert_close(output.flatten(), torch.tensor([6.0, 7.0]))
    assert weights is None
    for mode, by_hand in expected.items():
        gate = GateBatch(mode, torch.ones(1, 1, 1), torch.full((1, 1, 1), -1.0))
        output, _ = attention(OneLayer(), query, key, value, None, scaling=1.0, gate=gate)
        assert output.flatten().tolist() == by_hand, mode
