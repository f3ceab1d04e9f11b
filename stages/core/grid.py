"""The ablation grid: any list of gates over any examples, at less than one forward pass a gate.

Turning heads off in layer l leaves the layers below l as they were, and the queries, keys, values
and attention of layer l itself too: each batch runs once in full, and each gate only from the
output of its first changed layer's heads on. A classifier reads one token, so the last layer owes
nothing but keys and values for any other. Gates are stacked along the batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from tqdm import tqdm

from stages.core.batches import Batch, Encoded
from stages.core.files import atomic
from stages.core.gates import Gate, GateBatch, off_matrix
from stages.core.layers import layer_parts
from stages.core.seam import Gated

# Rows (gates x examples x tokens) that go through a layer at once: enough for full matrix products,
# small enough for the feed-forward activations of any encoder to stay in cache or memory.
STACKED_TOKENS = 2048


def mean_outputs(gated: Gated, batches: Iterable[Batch]) -> Float[Tensor, "layers heads size"]:
    """The mean output of every head over all real tokens of a reference set."""
    device = gated.model.device
    total = torch.zeros(
        gated.layers, gated.heads, gated.head_size, dtype=torch.float64, device=device
    )
    count = 0

    def add(layer: int, output: Tensor, real: Tensor) -> None:
        nonlocal count
        total[layer] += torch.einsum("bhqd,bq->hd", output.double(), real.double())
        count += int(real.sum()) if layer == 0 else 0

    with torch.inference_mode():
        for batch in batches:
            gated(batch.inputs, record_outputs=add)
    return (total / count).float()


class Grid:
    """Runs gates on batches of one classifier."""

    def __init__(
        self,
        gated: Gated,
        gates: Sequence[Gate],
        means: Float[Tensor, "layers heads size"] | None = None,
    ):
        """Order `gates` so that equal first layers and modes stand together.

        Args:
            means: what the mode `mean` puts in place of a head's output.
        """
        self.gated = gated
        self.gates = gates
        self.means = means
        self.layers = [layer_parts(module) for module in gated.stack]
        by_start = sorted(
            range(len(gates)), key=lambda place: (gates[place].first_layer, gates[place].mode)
        )
        self.order = {
            first: list(places)
            for first, places in groupby(by_start, key=lambda place: gates[place].first_layer)
        }

    @torch.inference_mode()
    def run(
        self, batch: Batch
    ) -> tuple[Float[np.ndarray, "batch classes"], Float[np.ndarray, "gates batch classes"]]:
        """Logits of the batch with every head on, and under each gate (in the order given)."""
        baseline, inputs, mask = self._full_pass(batch)
        result: np.ndarray = np.empty((len(self.gates), *baseline.shape), dtype=np.float32)
        for first, places in self.order.items():
            start = self._heads(first, inputs[first], mask)
            for stack in self._stacks(places, inputs[first].shape[0] * inputs[first].shape[1]):
                logits = self._suffix([self.gates[place] for place in stack], start, mask)
                result[stack] = logits.float().cpu().numpy()
        return baseline.float().cpu().numpy(), result

    def _stacks(self, places: list[int], tokens: int) -> Iterator[list[int]]:
        """Groups of gates of one mode, as many as fit together."""
        size = max(1, STACKED_TOKENS // tokens)
        for _, group in groupby(places, key=lambda place: self.gates[place].mode):
            members = list(group)
            for start in range(0, len(members), size):
                yield members[start : start + size]

    def _full_pass(self, batch: Batch) -> tuple[Tensor, list[Tensor], Tensor | None]:
        """Logits, the input of every layer, and the attention mask the layers get."""
        prefixes: list[Tensor] = []
        masks: list[Tensor | None] = []

        def keep(_: nn.Module, positional: tuple, named: dict) -> None:
            prefixes.append(positional[0])
            masks.append(named.get("attention_mask", positional[1] if positional[1:] else None))

        hooks = [
            layer.register_forward_pre_hook(keep, with_kwargs=True) for layer in self.gated.stack
        ]
        try:
            logits = self.gated(batch.inputs)
        finally:
            for hook in hooks:
                hook.remove()
        return logits, prefixes, masks[0]

    def _heads(
        self, index: int, hidden: Float[Tensor, "batch token hidden"], mask: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What layer `index` knows before its gates act.

        Returns:
            residual [batch, asking, hidden], output of each head [batch, heads, asking, size] and
            value [batch, heads, token, size]; the last layer asks for its first token alone.
        """
        layer = self.layers[index]
        residual = hidden[:, :1] if index == self.gated.layers - 1 else hidden
        query, key, value = layer.project(hidden, residual)
        mask = None if mask is None else mask[:, :, : residual.shape[1]]
        scale = layer.attention.scaling
        output = scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scale)
        return residual, output, value

    def _suffix(
        self, gates: list[Gate], start: tuple[Tensor, Tensor, Tensor], mask: Tensor | None
    ) -> Float[Tensor, "gates batch classes"]:
        """Go on from the gates' first layer, all gates side by side along the batch."""
        first, examples = gates[0].first_layer, start[0].shape[0]
        off = off_matrix(gates, self.gated.layers, self.gated.heads).to(start[0].device)
        gate = GateBatch(gates[0].mode, off.repeat_interleave(examples, dim=0), self.means)
        residual, output, value = (_copies(part, len(gates)) for part in start)
        hidden = residual
        mask = None if mask is None else _copies(mask, len(gates))
        real = None if mask is None else mask[:, 0, 0, :]
        for index, layer in enumerate(self.layers[first:], first):
            if index > first:
                residual, output, value = self._heads(index, hidden, mask)
            output = gate.apply(index, output, value, real)
            hidden = layer.feed_forward(layer.mix(output.transpose(1, 2).flatten(2), residual))
        return self._read_out(hidden).unflatten(0, (len(gates), examples))

    def _read_out(self, hidden: Float[Tensor, "batch 1 hidden"]) -> Float[Tensor, "batch classes"]:
        """The classifier on given hidden states: the model with its layers swapped for them."""
        holder, stack = self.gated.holder, self.gated.stack
        holder.layer = nn.ModuleList([_Given(hidden)])
        try:
            ones = torch.ones(hidden.shape[:2], dtype=torch.long, device=hidden.device)
            return self.gated({"input_ids": ones, "attention_mask": ones})
        finally:
            holder.layer = stack


def run_gates(
    grid: Grid, encoded: Encoded, batch: int, device: torch.device, label: str, progress: Path
) -> tuple[Float[np.ndarray, "n classes"], Float[np.ndarray, "gates n classes"]]:
    """Logits of all examples with every head on, and under each gate.

    Args:
        batch: examples that go through together.
        label: of the progress bar and of the files in `progress`.
        progress: folder that keeps each finished batch; a later call reads it there instead of
            running it again.
    """
    baseline, gated = [], []
    rows = []
    total = -(-len(encoded.lengths) // batch)
    parts = encoded.batches(batch, device)
    for number, part in enumerate(tqdm(parts, desc=label, total=total, unit="batch")):
        file = progress / f"{label}-{number}.npz"
        if not file.exists():
            before, after = grid.run(part)
            with atomic(file) as partial, open(partial, "wb") as stream:
                np.savez(stream, before=before, after=after)
        with np.load(file) as kept:
            baseline.append(kept["before"])
            gated.append(kept["after"])
        rows.append(part.rows)
    order = np.argsort(np.concatenate(rows))
    return np.concatenate(baseline)[order], np.concatenate(gated, axis=1)[:, order]


class _Given(nn.Module):
    """Stands in for a stack of layers whose output is known."""

    def __init__(self, hidden: Tensor):
        super().__init__()
        self.hidden = hidden

    def forward(self, *_: object, **__: object) -> Tensor:
        return self.hidden


def _copies(tensor: Tensor, count: int) -> Tensor:
    """`count` copies of the tensor along its first axis."""
    return tensor.repeat(count, *[1] * (tensor.dim() - 1))
