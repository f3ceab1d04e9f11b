"""How good is the cheap score: importance of heads by gradients (Michel et al. 2019, section 4.1).

Beside what every head does when it is off (`ablate`), on the same examples, stands the mean of the
absolute gradient of the loss with respect to its gate: one backward pass for all heads together.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import PositiveInt

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.losses import losses
from stages.core.outcomes.outcomes import read_outcomes
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import TUNED
from stages.core.stage.command import SeedsOption, TaskOption, stage_command
from stages.core.stage.files import InputError
from stages.core.stage.places import examples_file, model_folder, outcomes_folder
from stages.core.stage.settings import PARAMETER_FILE, Resampled, section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.task import Task, load_task, seeds_of
from stages.importance.cost import Geometry, least_for_grid
from stages.importance.gate_gradients import agreement_table, gate_gradients, importance_table
from stages.importance.tables import AGREEMENT, HEADS


class Importance(Resampled):
    """The section `importance` of `params.yaml`."""

    batch: PositiveInt


def passes(geometry: Geometry, lengths: np.ndarray) -> dict[str, float]:
    """Cost of both scores for all heads, in forward passes of the same examples.

    Returns:
        grid_passes: the fewest operations that are known; gradient_passes: one pass forward, and
        one backward that needs no gradients of weights.
    """
    whole = sum(map(geometry.forward, lengths.tolist()))
    gates = single_heads(geometry.layers, geometry.heads, "zero")
    # Backwards, a product with the activations becomes two: attention's own.
    attention = sum(4 * tokens**2 * geometry.hidden for tokens in lengths.tolist())
    backward = whole + geometry.layers * attention
    return {
        "grid_passes": least_for_grid(geometry, gates, lengths) / whole,
        "gradient_passes": (whole + backward) / whole,
    }


def loss_changes(
    folder: Path, heads: Int[np.ndarray, " head"], labels: Float[np.ndarray, " example"], kind: str
) -> Float[np.ndarray, "example head"]:
    """How much each example's loss rises under some gates of the outcomes in `folder`.

    Args:
        heads: rows of the outcomes.
    """
    logits = [np.load(folder / "baseline.npy"), np.load(folder / "logits.npy")[heads]]
    before, after = (
        losses(torch.from_numpy(part), torch.tensor(labels).expand(part.shape[:-1]), kind)
        for part in logits
    )
    return (after - before).double().numpy().T


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Hold gradient importance of every head of the tuned encoders against the exact grid."""
    parameters = section(Importance, "importance")
    definition = load_task(task)
    device = start(read_runtime(), parameters.seed)
    heads, agreements = [], []
    for tuned_with in seeds_of(task, seed):
        of_heads, agreement = of_model(task, tuned_with, definition, parameters, device)
        heads.append(of_heads.assign(seed=tuned_with))
        agreements.append(agreement.assign(seed=tuned_with))
    HEADS.write(heads, task=task)
    AGREEMENT.write(agreements, task=task)


def of_model(
    task: str, seed: int, definition: Task, parameters: Importance, device: torch.device
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The importance of every head of one tuned encoder, and how it agrees with the exact grid.

    Raises:
        InputError: the grid has no heads in the mode zero.
    """
    grid = outcomes_folder(task, seed) / "fixed-zero"
    if not grid.is_dir():
        raise InputError(
            f"{PARAMETER_FILE}: `ablate.modes` lacks zero, which gradients are held against; add it"
        )
    outcomes = read_outcomes(grid, definition.metrics[0], definition.kind)
    single = outcomes.gates.query("family == 'head'").index.to_numpy()

    folder = model_folder(task, TUNED, seed)
    kept = pd.read_parquet(grid / "examples.parquet")["id"]
    validation = read_examples(examples_file(task, "validation"))
    examples = validation.set_index("id", drop=False).loc[kept].reset_index(drop=True)
    encoded = encode(load_tokenizer(folder), examples, definition.max_length)
    gated = Gated(load_tuned(folder).to(device))
    gradients = gate_gradients(
        gated, encoded, outcomes.labels, definition.kind, parameters.batch, device
    )
    changes = loss_changes(grid, single, outcomes.labels, definition.kind)
    changes = changes.reshape(gradients.shape)

    resampling = (parameters.resamples, parameters.seed)
    heads = importance_table(gradients, changes, *resampling)
    agreement = agreement_table(gradients, changes, outcomes.only(single), *resampling)
    cost = passes(Geometry.of(gated.model.config), encoded.lengths)
    return heads, agreement.assign(examples=len(examples), **cost)


if __name__ == "__main__":
    stage_command(main)
