from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from stages.core.encoder.batches import Batch, Encoded
from stages.core.grid import grid as grid_module
from stages.core.grid.grid import Grid, mean_outputs
from stages.core.grid.run import run_gates
from stages.core.heads.gate_batches import GateBatch, off_matrix
from stages.core.heads.gates import Gate, Mode, random_shares, single_heads, whole_layers
from stages.core.heads.layers import Layer
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import ByDevice, Runtime

LENGTHS = [9, 4, 6, 9]


@pytest.fixture(params=[LENGTHS, [6, 6, 6]], ids=["padded", "equal lengths"])
def gated_batch(padded_classifier, request):
    model, inputs = padded_classifier(request.param)
    return Gated(model), Batch(np.arange(len(request.param)), np.array(request.param), inputs)


@torch.no_grad()
def test_grid_equals_one_full_forward_a_gate(gated_batch):
    """Prefix sharing, stacking and the one-token last layer change nothing, in any mode."""
    gated, batch = gated_batch
    size = (gated.layers, gated.heads)
    means = mean_outputs(gated, [batch])
    gates = [
        gate
        for mode in get_args(Mode)
        for gate in (
            *single_heads(*size, mode),
            *whole_layers(*size, mode),
            *random_shares(*size, mode, [0.25, 0.5, 1.0], draws=2, seed=0),
        )
    ]
    baseline, logits = Grid(gated, gates, means).run(batch)
    np.testing.assert_allclose(baseline, gated(batch.inputs), atol=1e-5)
    for gate, shared in zip(gates, logits, strict=True):
        off = off_matrix([gate], *size).expand(len(batch.lengths), -1, -1)
        full = gated(batch.inputs, gate=GateBatch(gate.mode, off, means))
        np.testing.assert_allclose(shared, full, atol=1e-5, err_msg=gate.name)
    assert np.abs(logits - baseline).max(axis=(1, 2)).min() > 1e-6  # every gate does something


def every_head_and_layer(gated):
    return [
        gate
        for mode in get_args(Mode)
        for family in (single_heads, whole_layers)
        for gate in family(gated.layers, gated.heads, mode)
    ]


@pytest.mark.parametrize("changes", [{"num_hidden_layers": 1}, {"hidden_act": "relu"}])
@torch.no_grad()
def test_one_layer_and_other_activations(changes, tiny_bert):
    config = AutoConfig.from_pretrained(tiny_bert, **changes)
    model = AutoModelForSequenceClassification.from_pretrained(tiny_bert, config=config)
    gated = Gated(model)
    ids = torch.arange(5, 35).reshape(3, 10)
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    gates = [gate for gate in every_head_and_layer(gated) if gate.mode != "mean"]
    _, logits = Grid(gated, gates).run(Batch(np.arange(3), np.full(3, 10), inputs))
    for gate, shared in zip(gates, logits, strict=True):
        off = off_matrix([gate], gated.layers, gated.heads).expand(3, -1, -1)
        full = gated(inputs, gate=GateBatch(gate.mode, off))
        np.testing.assert_allclose(shared, full, atol=1e-5, err_msg=gate.name)


@torch.no_grad()
def test_copies_compute_in_the_same_precision(gated_batch):
    gated, batch = gated_batch
    grid = Grid(gated, list(single_heads(gated.layers, gated.heads, "zero")), None, "bf16")
    own = grid.run(batch)
    assert {hidden.dtype for hidden in grid._full_pass(batch).inputs} == {torch.float32}
    for copy in (grid.twin(), grid.moved(torch.device("cpu"))):
        for one, other in zip(own, copy.run(batch), strict=True):
            np.testing.assert_array_equal(one, other)


@torch.no_grad()
def test_in_half_precision_single_heads_are_computed_as_a_whole(gated_batch, monkeypatch):
    """Half the digits are too few for the shortcut; the logits agree within them, in any mode."""
    gated, batch = gated_batch
    means = mean_outputs(gated, [batch])
    gates = every_head_and_layer(gated)
    exact_baseline, exact = Grid(gated, gates, means).run(batch)
    monkeypatch.setattr(grid_module, "unchanged_sums", None)  # would be called
    baseline, logits = Grid(gated, gates, means, "bf16").run(batch)
    np.testing.assert_allclose(baseline, exact_baseline, atol=0.05)
    np.testing.assert_allclose(logits, exact, atol=0.05)
    assert np.abs(logits - baseline).max() > 0.05
    # Gates that were mixed up would be as far off as gates are from each other.
    assert np.std(logits - exact) < 0.15 * np.std(exact - exact_baseline)
    assert np.abs(logits - exact).max() > 1e-5  # it is another precision


def test_the_size_of_a_stack_changes_nothing(gated_batch, monkeypatch):
    gated, batch = gated_batch
    gates = list(single_heads(gated.layers, gated.heads, "zero"))
    _, together = Grid(gated, gates).run(batch)
    monkeypatch.setattr(grid_module, "STACKED_TOKENS", ByDevice(cpu=1, others=1))
    _, one_by_one = Grid(gated, gates).run(batch)
    np.testing.assert_allclose(together, one_by_one, atol=1e-5)


def test_every_batch_is_its_own(gated_batch):
    """What a grid keeps of one batch is not taken for the next, of the same shape."""
    gated, batch = gated_batch
    other = replace(batch, inputs=batch.inputs | {"input_ids": batch.inputs["input_ids"].flip(0)})
    gates = list(whole_layers(gated.layers, gated.heads, "zero"))
    grid = Grid(gated, gates)
    first = grid.run(batch)
    for found, expected in zip(grid.run(other), Grid(gated, gates).run(other), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.abs(grid.run(batch)[0] - first[0]).max() < 1e-6
    assert np.abs(grid.run(other)[0] - first[0]).max() > 1e-3


def test_layers_below_the_gate_run_once(gated_batch, monkeypatch):
    gated, batch = gated_batch
    rows = []

    def attend(layer, hidden, real):
        rows.append((gated.parts().index(layer), len(hidden)))
        return attend_as_ever(layer, hidden, real)

    attend_as_ever = Layer.attend
    monkeypatch.setattr(Layer, "attend", attend)
    Grid(gated, [Gate("zero", ((1, head),), "head") for head in range(gated.heads)]).run(batch)
    assert [count for layer, count in rows if layer == 0] == [len(batch.lengths)]


def test_mean_output_is_the_mean_over_real_tokens(gated_batch):
    gated, batch = gated_batch
    outputs = {}
    with torch.no_grad():
        gated(
            batch.inputs,
            record_outputs=lambda layer, output, real: outputs.update({layer: output}),
        )
    by_hand = [
        sum(
            outputs[layer][row, :, token]
            for row, length in enumerate(batch.lengths)
            for token in range(length)
        )
        / sum(batch.lengths)
        for layer in range(gated.layers)
    ]
    torch.testing.assert_close(mean_outputs(gated, [batch]), torch.stack(by_hand))


TEXT_LENGTHS = [3, 5, 2, 4, 5]


class CountingGrid(Grid):
    """Its logits are the rows' numbers, so that their order can be checked; may break down once."""

    gates = [Gate("zero", ((0, 0),), "head"), Gate("zero", ((0, 1),), "head")]
    means = None
    precision = "fp32"

    def twin(self):
        return self

    def __init__(self, breaks_at=None):
        self.calls, self.breaks_at = 0, breaks_at

    def run(self, batch, places):
        if self.calls == self.breaks_at:
            raise KeyboardInterrupt
        self.calls += 1
        self.places = list(places)
        before = batch.rows[:, None].astype(np.float32)
        return before, np.stack([before + 10 * (place + 1) for place in places])


@pytest.fixture
def encoded():
    ids = [[1] * length for length in TEXT_LENGTHS]
    return Encoded({"input_ids": ids}, {"input_ids": 0}, ids)


def test_logits_come_back_in_the_order_of_the_examples(tmp_path, encoded):
    before, after = run_gates(CountingGrid(), encoded, 2, Runtime(), tmp_path / "x", tmp_path)
    assert before[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert after[1, :, 0].tolist() == [20, 21, 22, 23, 24]


def test_gates_of_the_same_heads_run_once(tmp_path, encoded):
    grid = CountingGrid()
    again = Gate("zero", ((0, 1), (0, 0)), "random", "all", 1.0, 0)
    grid.gates = [again, *grid.gates, replace(again, heads=again.heads[::-1], draw=1)]
    _, after = run_gates(grid, encoded, 5, Runtime(threads=1), tmp_path / "x", tmp_path)
    assert grid.places == [0, 1, 2]
    np.testing.assert_array_equal(after[3], after[0])
    assert after[:, 0, 0].tolist() == [10, 20, 30, 10]


def test_a_run_that_broke_off_goes_on_where_it_was(tmp_path, encoded):
    alone = Runtime(threads=1)
    with pytest.raises(KeyboardInterrupt):
        run_gates(CountingGrid(breaks_at=2), encoded, 2, alone, tmp_path / "x", tmp_path)
    (pieces,) = (tmp_path / "x").iterdir()
    (pieces / ".2-0.npz.partial").write_bytes(b"half-written")
    again = CountingGrid()
    before, after = run_gates(again, encoded, 2, alone, tmp_path / "x", tmp_path)
    assert again.calls == 1
    assert before[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert after[0, :, 0].tolist() == [10, 11, 12, 13, 14]


def test_pieces_of_another_run_are_not_taken_up(tmp_path, encoded):
    alone = Runtime(threads=1)
    run_gates(CountingGrid(), encoded, 2, alone, tmp_path / "x", tmp_path)
    same, reordered, reweighted = CountingGrid(), CountingGrid(), CountingGrid()
    run_gates(same, encoded, 2, alone, tmp_path / "x", tmp_path)
    assert same.calls == 0
    reordered.gates = CountingGrid.gates[::-1]
    run_gates(reordered, encoded, 2, alone, tmp_path / "x", tmp_path)
    assert reordered.calls == 3
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    reweighted.gates = reordered.gates
    rounded = CountingGrid()
    rounded.gates, rounded.precision = reordered.gates, "bf16"
    run_gates(rounded, encoded, 2, alone, tmp_path / "x", tmp_path)
    assert rounded.calls == 3
    run_gates(reweighted, encoded, 2, alone, tmp_path / "x", tmp_path)
    assert reweighted.calls == 3
