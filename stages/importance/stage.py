"""How good is the cheap score: importance of heads by gradients (Michel et al. 2019, section 4.1).

Beside the effect of ablating every head (`ablate`), on the same examples, stands the mean of the
absolute gradient of the loss with respect to its gate: one backward pass for all heads together.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import PositiveInt

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.losses import losses
from stages.core.outcomes.outcomes import read_outcomes
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import TUNED
from stages.core.stage.files import InputError
from stages.core.stage.places import examples_file, model_folder, outcomes_folder
from stages.core.stage.settings import PARAMETER_FILE, Resampled, section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.task import Task, load_task, seeds_of
from stages.importance.cost import Geometry, cost_table
from stages.importance.gate_gradients import agreement_table, gate_gradients, importance_table
from stages.importance.tables import AGREEMENT, COSTS, HEADS


class Importance(Resampled, section="importance"):
    """The section `importance` of `params.yaml`."""

    batch: PositiveInt


def loss_changes(
    folder: Path, heads: Int[np.ndarray, " head"], labels: Float[np.ndarray, " example"], kind: str
) -> Float[np.ndarray, "example head"]:
    """How much each example's loss rises under some gates of the outcomes in `folder`.

    Args:
        heads: rows of the outcomes.
    """
    logits = [np.load(folder / "baseline.npy"), np.load(folder / "logits.npy")[heads]]
    before, after = (
        losses(torch.from_numpy(values), torch.tensor(labels).expand(values.shape[:-1]), kind)
        for values in logits
    )
    return (after - before).double().numpy().T


def run_stage(task: str, seed: int | None = None) -> None:
    """Hold gradient importance of every head of the tuned encoders against the exact grid."""
    parameters = section(Importance, "importance")
    definition = load_task(task)
    device = start(read_runtime(), parameters.seed)
    of_seeds = {
        tuned_with: of_model(task, tuned_with, definition, parameters, device)
        for tuned_with in seeds_of(task, seed)
    }
    heads = [model.heads.assign(seed=number) for number, model in of_seeds.items()]
    HEADS.write(heads, data=task, arm=TUNED)
    agreement = [model.agreement.assign(seed=number) for number, model in of_seeds.items()]
    AGREEMENT.write(agreement, data=task, arm=TUNED)
    # Seeds have the same examples and sizes.
    COSTS.write(next(iter(of_seeds.values())).costs, data=task)


@dataclass(frozen=True)
class OfModel:
    """The rows of one tuned encoder."""

    heads: pd.DataFrame
    agreement: pd.DataFrame
    costs: pd.DataFrame


def of_model(
    task: str, seed: int, definition: Task, parameters: Importance, device: torch.device
) -> OfModel:
    """The importance of every head of one tuned encoder, its agreement with the grid, its cost.

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
    ids = pd.read_parquet(grid / "examples.parquet")["id"]
    validation = read_examples(examples_file(task, "validation"))
    examples = validation.set_index("id", drop=False).loc[ids].reset_index(drop=True)
    encoded = encode(load_tokenizer(folder), examples, definition.max_length)
    gated = Gated(load_tuned(folder).to(device))
    gradients = gate_gradients(
        gated, encoded, outcomes.labels, definition.kind, parameters.batch, device
    )
    changes = loss_changes(grid, single, outcomes.labels, definition.kind)
    changes = changes.reshape(gradients.shape)

    resampling = (parameters.resamples, parameters.seed)
    agreement = agreement_table(gradients, changes, outcomes.only(single), *resampling)
    return OfModel(
        importance_table(gradients, changes, *resampling),
        agreement.assign(examples=len(examples)),
        cost_table(Geometry.of(gated.model.config), encoded.lengths, *resampling),
    )
