"""The ablation grid: any list of gates over any examples, at less than one forward pass a gate.

Turning heads off in layer l leaves the layers below l as they were, so each batch runs once in
full, and each gate only from its first changed layer on. A classifier reads one token, so the last
layer owes its feed-forward network for that token alone. Gates are stacked along the batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from stages.core.batches import Batch
from stages.core.gates import Gate, GateBatch, off_matrix
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
        """Order `gates` so that equal prefixes and modes stand together.

        Args:
            means: what the mode `mean` puts in place of a head's output.
        """
        self.gated = gated
        self.gates = gates
        self.means = means
        self.order = sorted(
            range(len(gates)), key=lambda place: (gates[place].first_layer, gates[place].mode)
        )

    @torch.inference_mode()
    def run(
        self, batch: Batch
    ) -> tuple[Float[np.ndarray, "batch classes"], Float[np.ndarray, "gates batch classes"]]:
        """Logits of the batch with every head on, and under each gate (in the order given)."""
        baseline, prefixes, mask = self._full_pass(batch)
        result: np.ndarray = np.empty((len(self.gates), *baseline.shape), dtype=np.float32)
        for places in self._stacks(prefixes[0].shape[0] * prefixes[0].shape[1]):
            gates = [self.gates[place] for place in places]
            logits = self._suffix(gates, prefixes[gates[0].first_layer], mask)
            result[places] = logits.float().cpu().numpy()
        return baseline.float().cpu().numpy(), result

    def _stacks(self, tokens: int) -> Iterator[list[int]]:
        """Groups of gates that share mode and first layer, as many as fit together."""
        size = max(1, STACKED_TOKENS // tokens)
        for _, group in groupby(
            self.order, key=lambda place: (self.gates[place].first_layer, self.gates[place].mode)
        ):
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

    def _suffix(
        self,
        gates: list[Gate],
        hidden: Float[Tensor, "batch token hidden"],
        mask: Tensor | None,
    ) -> Float[Tensor, "gates batch classes"]:
        """Run the layers from the gates' first one on, all gates side by side along the batch."""
        first, examples = gates[0].first_layer, hidden.shape[0]
        off = off_matrix(gates, self.gated.layers, self.gated.heads).to(hidden.device)
        gate = GateBatch(gates[0].mode, off.repeat_interleave(examples, dim=0), self.means)
        hidden = hidden.repeat(len(gates), 1, 1)
        if mask is not None:
            mask = mask.repeat(len(gates), 1, 1, 1)
        *middle, last = self.gated.stack[first:]
        for layer in middle:
            hidden = layer(hidden, mask, gate=gate)
        with _first_token_only(last):
            hidden = last(hidden, mask, gate=gate)
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


class _Given(nn.Module):
    """Stands in for a stack of layers whose output is known."""

    def __init__(self, hidden: Tensor):
        super().__init__()
        self.hidden = hidden

    def forward(self, *_: object, **__: object) -> Tensor:
        return self.hidden


@contextmanager
def _first_token_only(layer: nn.Module) -> Iterator[None]:
    """Cut the layer to its first token between attention (with its residual) and feed-forward."""

    def cut(_: nn.Module, __: tuple, output: Tensor | tuple) -> Tensor | tuple:
        if isinstance(output, tuple):
            return output[0][:, :1], *output[1:]
        return output[:, :1]

    # DistilBERT adds the residual outside its attention module, in front of this norm.
    boundary = getattr(layer, "sa_layer_norm", None) or layer.attention
    hook = boundary.register_forward_hook(cut)
    try:
        yield
    finally:
        hook.remove()
