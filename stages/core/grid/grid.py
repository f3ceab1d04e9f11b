"""The ablation grid: any list of gates over any examples, at less than one forward pass a gate.

Exact savings, each held against one full forward a gate by tests/core/grid/test_grid.py:

* Turning heads off in layer l leaves the layers below l as they were, and the queries, keys, values
  and attention of layer l itself too: each batch runs once in full, and each gate only from the
  output of its first changed layer's heads on.
* A single head is one term of the sum that the output projection makes over heads: only that term
  is computed anew, and the first projection of the feed-forward network by that term's few columns
  (`changed_network`).
* A classifier reads one token: in the last layer it alone asks, and one asking token needs neither
  the keys nor the values of the others (`Layer.attend_from_first`).
* Examples are sorted by length, so that hardly anything is padded; gates are stacked along the
  batch to fill the matrix products.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from stages.core.encoder.batches import Batch
from stages.core.grid.changed_network import after_changes, change_weights, unchanged_sums
from stages.core.heads.gate_batches import GateBatch, off_matrix, uniform_output
from stages.core.heads.gates import Gate, Mode
from stages.core.heads.layer_maps import embedded
from stages.core.heads.layers import Asking, AskingHeads, Hidden, Layer, asking_tokens, real_tokens
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import DTYPES, ByDevice, Precision

# Rows (gates x examples x tokens) that go through a layer at once: enough for full matrix products;
# on a CPU, few enough for what passes between them to stay in the cache of one core.
STACKED_TOKENS = ByDevice(cpu=1024, others=65_536)


def mean_outputs(gated: Gated, batches: Iterable[Batch]) -> Float[Tensor, "layer head size"]:
    """The mean output of every head over all real tokens of a reference set."""
    total = torch.zeros(gated.layers, gated.heads, gated.head_size, dtype=torch.float64)
    count = 0

    def add(layer: int, output: Tensor, real: Tensor) -> None:
        nonlocal count
        summed = torch.einsum("bhqd,bq->bhd", output.float(), real.float())
        total[layer] += summed.cpu().double().sum(0)
        count += int(real.sum()) if layer == 0 else 0

    with torch.inference_mode():
        for batch in batches:
            gated(batch.inputs, record_outputs=add)
    return (total / count).float().to(gated.model.device)


@dataclass(frozen=True)
class Start:
    """The state of a layer before its gates act; in the last layer, of the first token alone.

    `residual` is what the layer read, shifted by its `shift`. `mixed` is that with all heads added,
    before the norm; `sums` are the network's first projection of it (`unchanged_sums`), where
    single heads are computed by their change alone, else None. `uniform` is the output of heads
    that attend to all tokens alike, where the mode asks for it.
    """

    residual: Asking
    output: AskingHeads
    uniform: Float[Tensor, "batch head size"] | None
    mixed: Asking
    sums: Float[Tensor, "batch asking inner"] | None


@dataclass(frozen=True)
class FullPass:
    """A batch with every head on: its logits, and which of its tokens are real (None: all).

    `inputs` are what every layer reads, shifted by its `shift`.
    """

    logits: Float[Tensor, "batch class"]
    inputs: list[Hidden]
    real: Bool[Tensor, "batch token"] | None


class Grid:
    """Runs gates on batches of one classifier."""

    def __init__(
        self,
        gated: Gated,
        gates: Sequence[Gate],
        means: Float[Tensor, "layer head size"] | None = None,
        precision: Precision = "fp32",
    ):
        """Prepare for `gates`.

        Args:
            gated: in float32.
            means: what the mode `mean` puts in place of a head's output.
            precision: of matrix products, and attention and activation between them.
        """
        self.gated = gated
        self.gates = gates
        self.means = means
        self.precision = precision
        self._change_weights: dict[int, Float[Tensor, "head column inner"]] = {}
        self._last: tuple[Batch, FullPass] | None = None

    @torch.inference_mode()
    def run(
        self, batch: Batch, places: Sequence[int] | None = None
    ) -> tuple[Float[np.ndarray, "batch class"], Float[np.ndarray, "gate batch class"]]:
        """Logits of the batch with every head on, and under each gate (in the order given).

        Args:
            places: of the gates that are run; by default all.
        """
        places = range(len(self.gates)) if places is None else places
        if self._last is None or self._last[0] is not batch:
            self._last = batch, self._full_pass(batch)
        known = self._last[1]
        result: np.ndarray = np.empty((len(places), *known.logits.shape), dtype=np.float32)
        for group in self._groups(places):
            gate = self.gates[places[group[0]]]
            hidden = known.inputs[gate.first_layer]
            several_heads = len(gate.heads) == 1 and len(group) > 1
            start = self._start(gate.first_layer, hidden, known.real, gate.mode, several_heads)
            size = max(1, STACKED_TOKENS.on(hidden.device) // hidden.shape[:2].numel())
            ends = [
                self._suffix([self.gates[places[row]] for row in stack], start, known.real)
                for stack in slices(group, size)
            ]
            logits = self._read_out(torch.cat(ends)).unflatten(0, (len(group), -1))
            result[group] = logits.float().cpu().numpy()
        return known.logits.float().cpu().numpy(), result

    def moved(self, device: torch.device) -> "Grid":
        """A copy with weights of its own on another device."""
        means = None if self.means is None else self.means.to(device)
        return Grid(self.gated.moved(device), self.gates, means, self.precision)

    def twin(self) -> "Grid":
        """A grid for another thread: the weights are the same, the modules around them are not."""
        twin = Grid(self.gated.twin(), self.gates, self.means, self.precision)
        twin._change_weights = self._change_weights
        return twin

    @property
    def parts(self) -> list[Layer]:
        """The encoder's layers, in the grid's precision."""
        return self.gated.parts(DTYPES[self.precision])

    def _groups(self, places: Sequence[int]) -> list[list[int]]:
        """Rows of `places` whose gates begin in one layer, have one mode, and one head or more."""

        def kind(row: int) -> tuple[int, Mode, bool]:
            gate = self.gates[places[row]]
            return gate.first_layer, gate.mode, len(gate.heads) == 1

        rows = sorted(range(len(places)), key=kind)
        return [list(group) for _, group in groupby(rows, kind)]

    def _full_pass(self, batch: Batch) -> FullPass:
        inputs = {name: ids.to(self.gated.model.device) for name, ids in batch.inputs.items()}
        real = real_tokens(inputs)
        hidden, read = embedded(self.gated, inputs), []
        for index, layer in enumerate(self.parts):
            read.append(hidden)
            output, _ = self._attend(index, hidden, real, None)
            hidden = layer.from_output(output, asking_tokens(hidden, output).clone())
        return FullPass(self._read_out(hidden), read, real)

    def _start(
        self,
        index: int,
        hidden: Hidden,
        real: Bool[Tensor, "batch token"] | None,
        mode: Mode,
        several_heads: bool,
    ) -> Start:
        layer = self.parts[index]
        output, uniform = self._attend(index, hidden, real, mode)
        residual = asking_tokens(hidden, output)
        mixed = layer.mixed(output, residual.clone())
        # Half the digits are too few for a difference of large sums; one token is not worth it, and
        # one head takes as long without.
        float32, before_last = layer.dtype == torch.float32, index < len(self.parts) - 1
        by_change = several_heads and float32 and before_last
        sums = unchanged_sums(layer, mixed) if by_change else None
        return Start(residual, output, uniform, mixed, sums)

    def _attend(
        self,
        index: int,
        hidden: Hidden,
        real: Bool[Tensor, "batch token"] | None,
        mode: Mode | None,
    ) -> tuple[AskingHeads, Float[Tensor, "batch head size"] | None]:
        """Output of each head (in the last layer, for one token), and under `uniform` if asked."""
        layer = self.parts[index]
        if index < len(self.parts) - 1:
            output, value = layer.attend(hidden, real)
            return output, uniform_output(value, real) if mode == "uniform" else None
        output = layer.attend_from_first(hidden, real)
        return output, layer.uniform_output(hidden, real) if mode == "uniform" else None

    def _suffix(
        self, gates: list[Gate], start: Start, real: Bool[Tensor, "batch token"] | None
    ) -> Float[Tensor, "gate_batch 1 hidden"]:
        """Last hidden states under gates of one kind, side by side along the batch."""
        first, mode, examples = gates[0].first_layer, gates[0].mode, len(start.residual)
        off = off_matrix(gates, self.gated.layers, self.gated.heads).to(start.residual.device)
        gate = GateBatch(mode, off.repeat_interleave(examples, dim=0), self.means)
        real = None if real is None else real.repeat(len(gates), 1)
        if len(gates[0].heads) == 1:
            hidden = self._after_without_one(gates, start)
        else:
            parts = (start.output, start.uniform, start.residual)
            output, uniform, residual = (_copies(part, len(gates)) for part in parts)
            hidden = self.parts[first].from_output(gate.replace(first, output, uniform), residual)
        changed = {layer for one in gates for layer, _ in one.heads}
        for index in range(first + 1, len(self.parts)):
            layer = self.parts[index]
            output, uniform = self._attend(index, hidden, real, mode if index in changed else None)
            if index in changed:
                output = gate.replace(index, output, uniform)
            hidden = layer.from_output(output, hidden)
        return hidden

    def _after_without_one(
        self, gates: list[Gate], start: Start
    ) -> Float[Tensor, "gate_batch asking hidden"]:
        """The first layer's output under gates of one head each: only one term of a sum changes."""
        index, heads = gates[0].first_layer, [gate.heads[0][1] for gate in gates]
        none = torch.empty(0, self.gated.layers, self.gated.heads)
        whole = GateBatch(gates[0].mode, none, self.means)
        change = whole.substitute(index, start.output, start.uniform) - start.output
        changes = change[:, heads].transpose(0, 1)
        layer = self.parts[index]
        weights = layer.head_weights[heads]
        changed = changes.flatten(1, 2) @ weights
        mixed = start.mixed + changed.unflatten(1, start.mixed.shape[:2])
        if start.sums is None:
            return layer.after(mixed.flatten(0, 1))
        if index not in self._change_weights:
            self._change_weights[index] = change_weights(layer)
        of_heads = self._change_weights[index][heads]
        return after_changes(layer, start.sums, mixed, changes, of_heads)

    def _read_out(self, hidden: Float[Tensor, "batch 1 hidden"]) -> Float[Tensor, "batch class"]:
        """The classifier on given hidden states: the model with its layers swapped for them."""
        ones = torch.ones(hidden.shape[:2], dtype=torch.long, device=hidden.device)
        with self.gated.with_stack(nn.ModuleList([_Given(hidden)])):
            return self.gated({"input_ids": ones, "attention_mask": ones})


class _Given(nn.Module):
    """Stands in for a stack of layers whose output is known."""

    def __init__(self, hidden: Tensor):
        super().__init__()
        self.hidden = hidden

    def forward(self, *_: object, **__: object) -> Tensor:
        return self.hidden


def _copies(tensor: Tensor | None, count: int) -> Tensor | None:
    """`count` copies of the tensor along its first axis."""
    return None if tensor is None else tensor.repeat(count, *[1] * (tensor.dim() - 1))


def slices(places: list[int], size: int) -> Iterator[list[int]]:
    """Yield `places` in lists of `size`."""
    for start in range(0, len(places), size):
        yield places[start : start + size]
