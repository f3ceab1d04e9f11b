"""The grid in bf16 against the grid in fp32, on a task's tuned model."""

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.grid import own_grid
from benchmarks.pairs import ratios, take_turns
from stages.ablate.stage import Ablate, fixed_gates
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import Precision, Runtime, find_device
from stages.core.stage.arms import TUNED
from stages.core.stage.places import model_folder
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.metrics import METRICS, predictions_from_logits
from stages.core.tasks.task import load_task


def compare(
    configuration: Path, task: str, seed: int, examples: int | None, rounds: int, runtime: Runtime
) -> pd.DataFrame:
    """Every head and layer off, in the modes zero and uniform, in both precisions.

    Args:
        configuration: folder of a configuration whose `finetune` has run.
        examples: the first so many of the validation examples; None: all.

    Returns:
        side, seconds, ratio (to bf16), lowest, highest, difference (largest of a logit),
        same_predictions (share of all pairs of a gate and an example; none for scores), and for
        each metric the largest change of any gate in points.
    """
    definition = load_task(task, configuration / PARAMETER_FILE)
    folder = configuration / model_folder(task, TUNED, seed)
    frame = read_examples(configuration / f"work/tasks/{task}/validation.parquet")[:examples]
    encoded = encode(load_tokenizer(folder), frame, definition.max_length)
    gated = Gated(load_tuned(folder).to(find_device(runtime.device)))
    modes = [
        mode
        for mode in section(Ablate, "ablate", configuration / PARAMETER_FILE).modes
        if mode != "mean"
    ]
    gates = fixed_gates(gated.layers, gated.heads, modes)
    found: dict[str, np.ndarray] = {}

    def side(name: Precision) -> None:
        found[name] = own_grid(gated, encoded, gates, runtime, precision=name)

    times = take_turns({name: lambda name=name: side(name) for name in ("bf16", "fp32")}, rounds)
    labels = frame["label"].to_numpy(dtype=float)
    predicted = {
        name: predictions_from_logits(logits, definition.kind) for name, logits in found.items()
    }
    table = ratios(times, to="bf16").assign(task=task, gates=len(gates), examples=len(frame))
    table["difference"] = float(np.abs(found["fp32"] - found["bf16"]).max())
    if definition.kind == "classification":
        table["same_predictions"] = float((predicted["fp32"] == predicted["bf16"]).mean())
    for metric in definition.metrics:
        values = {
            name: np.array([METRICS[metric](labels, gate) for gate in rows])
            for name, rows in predicted.items()
        }
        change = np.abs(values["fp32"] - values["bf16"])
        table[f"{metric}_points"] = 100 * float(change.max())
    return table
