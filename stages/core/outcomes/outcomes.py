"""What a task's model predicted under every gate: one folder of `work/ablate` a set of gates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from stages.core.heads.gates import Gate
from stages.core.stage.files import InputError
from stages.core.tasks.metrics import METRICS, predictions_from_logits


@dataclass(frozen=True)
class Outcomes:
    """The primary metric, labels, and predictions with every head on and under each gate.

    `gates` is a `gate_table`, whose rows are the rows of `gated`.
    """

    gates: pd.DataFrame
    metric: str
    labels: Float[np.ndarray, " example"]
    baseline: Float[np.ndarray, " example"]
    gated: Float[np.ndarray, "gate example"]

    @property
    def before(self) -> float:
        """The metric with every head on."""
        return float(METRICS[self.metric](self.labels, self.baseline))

    def only(self, gates: Int[np.ndarray, " some"]) -> "Outcomes":
        """The outcomes of some gates, given by their rows."""
        table = self.gates.loc[gates].reset_index(drop=True)
        return replace(self, gates=table, gated=self.gated[gates])

    @cached_property
    def after(self) -> Float[np.ndarray, " gate"]:
        """The metric under each gate."""
        # One gate at a time: macro F1 counts the classes that it is given, and other gates'
        # predictions may hold more of them.
        return np.array([METRICS[self.metric](self.labels, gate) for gate in self.gated])


def gate_table(gates: Sequence[Gate], precision: str = "fp32") -> pd.DataFrame:
    """One row a gate: gate, family, mode, layer, head, band, share, draw, heads_off, precision.

    `layer` and `head` are -1 where the gate is more than one. `precision` is that of
    the encoder's matrix products.
    """
    return pd.DataFrame(
        {
            "gate": gate.name,
            "family": gate.family,
            "mode": gate.mode,
            "layer": gate.first_layer if gate.family in ("head", "layer") else -1,
            "head": gate.heads[0][1] if gate.family == "head" else -1,
            "band": gate.band,
            "share": gate.share,
            "draw": gate.draw,
            "heads_off": len(gate.heads),
            "precision": precision,
        }
        for gate in gates
    )


def outcomes_of_logits(
    gates: pd.DataFrame,
    labels: Float[np.ndarray, " example"],
    logits: Sequence[Float[np.ndarray, "..."]],
    metric: str,
    kind: str,
) -> Outcomes:
    """Outcomes from logits with every head on and under each gate, as `run_gates` returns them.

    Args:
        gates: a `gate_table`.
        metric: the task's primary metric.
        kind: `classification` or `regression`.
    """
    return Outcomes(
        gates, metric, labels, *(predictions_from_logits(values, kind) for values in logits)
    )


def write_outcomes(
    folder: Path,
    gates: Sequence[Gate],
    examples: pd.DataFrame,
    baseline: Float[np.ndarray, "example class"],
    gated: Float[np.ndarray, "gate example class"],
    precision: str = "fp32",
) -> None:
    """Keep every gate's outcome on every example: gates.parquet, examples.parquet, logits.

    `logits.npy` is [gate, example, class] in the order of the two tables; `baseline.npy` is
    [example, class]. `precision` is that of `gate_table`.
    """
    folder.mkdir(parents=True)
    table = gate_table(gates, precision)
    table["heads"] = [[f"{layer}.{head}" for layer, head in gate.heads] for gate in gates]
    table.to_parquet(folder / "gates.parquet", index=False)
    examples[["id", "label"]].to_parquet(folder / "examples.parquet", index=False)
    np.save(folder / "baseline.npy", baseline)
    np.save(folder / "logits.npy", gated)


def read_outcomes(folder: Path, metric: str, kind: str) -> Outcomes:
    """Read what `write_outcomes` wrote, as `outcomes_of_logits`.

    Raises:
        InputError: a file is missing or cut short, or the files disagree.
    """
    try:
        gates = pd.read_parquet(folder / "gates.parquet").drop(columns="heads")
        labels = pd.read_parquet(folder / "examples.parquet")["label"].to_numpy(dtype=float)
        logits = [np.load(folder / f"{name}.npy") for name in ("baseline", "logits")]
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise InputError(f"{folder}: {error}; remove the folder and run `dvc repro`") from None
    sizes = (*logits[1].shape[:2], len(logits[0]))
    if sizes != (len(gates), len(labels), len(labels)):
        raise InputError(
            f"{folder}: logits of {sizes[0]} gates and {sizes[1]} examples (baseline: {sizes[2]}) "
            f"for {len(gates)} gates and {len(labels)} examples; remove the folder and run "
            "`dvc repro`"
        )
    return outcomes_of_logits(gates, labels, logits, metric, kind)
