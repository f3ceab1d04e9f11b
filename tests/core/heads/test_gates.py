from typing import get_args

import numpy as np
import pytest
import torch

from stages.core.heads.gate_batches import GateBatch, off_matrix
from stages.core.heads.gates import Gate, Mode, bands, random_shares, single_heads, whole_layers

# Two tokens, one of them padding in the second example; one layer, two heads, head size 1.
OUTPUT = torch.tensor([[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.0], [6.0]], [[7.0], [8.0]]]])
VALUE = torch.tensor([[[[1.0], [3.0]], [[10.0], [20.0]]], [[[2.0], [99.0]], [[30.0], [99.0]]]])
REAL = torch.tensor([[True, True], [True, False]])


def gate_batch(mode: str, off: list[list[float]]) -> GateBatch:
    means = torch.tensor([[[0.5], [-0.5]]])
    return GateBatch(mode, torch.tensor(off).float()[:, None, :], means)


def test_open_gate_changes_nothing():
    for mode in get_args(Mode):
        result = gate_batch(mode, [[0, 0], [0, 0]]).apply(0, OUTPUT, VALUE, REAL)
        assert torch.equal(result, OUTPUT)


def test_zero_closes_only_the_head_that_is_off():
    result = gate_batch("zero", [[1, 0], [0, 1]]).apply(0, OUTPUT, VALUE, REAL)
    assert result.squeeze(-1).tolist() == [[[0, 0], [3, 4]], [[5, 6], [0, 0]]]


def test_uniform_is_the_mean_value_of_real_tokens():
    result = gate_batch("uniform", [[1, 0], [0, 1]]).apply(0, OUTPUT, VALUE, REAL)
    assert result.squeeze(-1).tolist() == [[[2, 2], [3, 4]], [[5, 6], [30, 30]]]


def test_uniform_without_a_mask_counts_every_token():
    result = gate_batch("uniform", [[1, 1], [0, 0]]).apply(0, OUTPUT, VALUE, None)
    assert result[0].squeeze(-1).tolist() == [[2, 2], [15, 15]]


def test_mean_puts_in_the_reference_output():
    result = gate_batch("mean", [[1, 0], [1, 1]]).apply(0, OUTPUT, VALUE, REAL)
    assert result.squeeze(-1).tolist() == [[[0.5, 0.5], [3, 4]], [[0.5, 0.5], [-0.5, -0.5]]]


def test_mean_without_a_reference_is_an_error():
    with pytest.raises(ValueError, match="mean output"):
        GateBatch("mean", torch.ones(1, 1, 2)).apply(0, OUTPUT[:1], VALUE[:1], None)


def test_half_open_gate_has_a_gradient():
    off = torch.full((2, 1, 2), 0.25, requires_grad=True)
    GateBatch("zero", off).apply(0, OUTPUT, VALUE, REAL).sum().backward()
    assert off.grad.squeeze(1).tolist() == [[-3, -7], [-11, -15]]


def test_off_matrix():
    gates = [Gate("zero", ((0, 1), (1, 0)), "random"), Gate("zero", ((1, 2),), "head")]
    assert off_matrix(gates, 2, 3).tolist() == [[[0, 1, 0], [1, 0, 0]], [[0, 0, 0], [0, 0, 1]]]


def test_every_head_and_every_layer_once():
    assert [gate.name for gate in single_heads(2, 2, "mean")] == [
        "mean-head-0.0",
        "mean-head-0.1",
        "mean-head-1.0",
        "mean-head-1.1",
    ]
    layers = list(whole_layers(2, 2, "zero"))
    assert [gate.name for gate in layers] == ["zero-layer-0", "zero-layer-1"]
    assert layers[1].heads == ((1, 0), (1, 1))


def test_bands_cover_all_layers_once_each_half():
    assert bands(5) == {"all": range(5), "lower": range(2), "upper": range(2, 5)}


def test_random_shares_stay_in_their_band_and_have_the_right_size():
    gates = list(random_shares(4, 5, "zero", [0.2, 1.0], draws=3, seed=7))
    sizes = {("all", 0.2): 4, ("lower", 0.2): 2, ("upper", 0.2): 2, ("all", 1.0): 20}
    for gate in gates:
        assert {layer for layer, _ in gate.heads} <= set(bands(4)[gate.band])
        assert len(set(gate.heads)) == len(gate.heads)
        if (gate.band, gate.share) in sizes:
            assert len(gate.heads) == sizes[gate.band, gate.share]
    assert sum(gate.share == 1.0 for gate in gates) == 3  # one a band: nothing to draw
    assert len({gate.name for gate in gates}) == len(gates)


def test_a_draw_is_the_same_in_every_mode_and_differs_from_the_next():
    zero, mean = (list(random_shares(4, 5, mode, [0.5], 4, 7)) for mode in ("zero", "mean"))
    assert [gate.heads for gate in zero] == [gate.heads for gate in mean]
    in_all = [gate.heads for gate in zero if gate.band == "all"]
    assert len(set(in_all)) == 4
    drawn = np.zeros((4, 5))
    for gate in random_shares(4, 5, "zero", [0.5], 400, 7):
        if gate.band == "all":
            for head in gate.heads:
                drawn[head] += 1 / 400
    assert np.abs(drawn - 0.5).max() < 0.1


def test_a_share_too_small_for_one_head_is_left_out():
    assert list(random_shares(2, 2, "zero", [0.01], 3, 7)) == []


def test_mean_puts_in_the_outputs_of_its_own_layer():
    """Three layers of two heads of size 2; the second head of layer 1 is off."""
    means = torch.arange(12.0).reshape(3, 2, 2)
    off = torch.tensor([[[0.0, 0], [0, 1], [0, 0]]])
    output = torch.full((1, 2, 4, 2), -1.0)
    result = GateBatch("mean", off, means).apply(1, output, output, None)
    assert result[0, 0].tolist() == [[-1, -1]] * 4
    assert result[0, 1].tolist() == [[6, 7]] * 4


def test_a_share_is_rounded_to_the_nearest_number_of_heads():
    gates = random_shares(4, 5, "zero", [0.19, 0.21], draws=1, seed=0)
    sizes = {(gate.band, gate.share): len(gate.heads) for gate in gates}
    assert (sizes["all", 0.19], sizes["all", 0.21], sizes["lower", 0.19]) == (4, 4, 2)


def test_draws_of_another_seed_band_and_share_are_others():
    """By chance a pair of draws may be alike, not all of them."""

    def drawn(seed: int, band: str, share: float) -> list[set[tuple[int, int]]]:
        gates = random_shares(4, 5, "zero", [0.2, 0.4], 10, seed)
        return [set(gate.heads) for gate in gates if (gate.band, gate.share) == (band, share)]

    assert drawn(7, "all", 0.4) != drawn(8, "all", 0.4)
    upper = [{(layer - 2, head) for layer, head in heads} for heads in drawn(7, "upper", 0.4)]
    assert drawn(7, "lower", 0.4) != upper
    pairs = zip(drawn(7, "all", 0.2), drawn(7, "all", 0.4), strict=True)
    assert not all(fewer <= more for fewer, more in pairs)
