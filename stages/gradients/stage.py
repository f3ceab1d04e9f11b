"""Is attention to [CLS] and [SEP] a no-op: gradients of the task's loss, by kind of token (C3).

Clark et al. 2019, section 3.2, take the loss of masked words; `surface` does where the checkpoint
has an MLM head. Here it is the loss of the task, of the tuned encoder and of random weights.
"""

from functools import partial

import numpy as np
import torch
from jaxtyping import Float
from pydantic import PositiveInt
from torch import Tensor

from stages.core.encoder.batches import Batch, encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.intervals.groups import resampled_means
from stages.core.losses import losses
from stages.core.maps.statistics import KindIds
from stages.core.maps.weight_gradients import kind_table, layer_table
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.core.stage.places import examples_file, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import load_task, seeds_of
from stages.gradients.tables import TASKS

ARMS = (TUNED, RANDOM_WEIGHTS)


class Gradients(Resampled, section="gradients"):
    """The section `gradients` of `params.yaml`."""

    examples: PositiveInt | None
    batch: PositiveInt
    punctuation: list[str]


def task_loss(
    logits: Float[Tensor, "text class"],
    batch: Batch,
    labels: Float[np.ndarray, " example"],
    kind: str,
) -> Float[Tensor, " text"]:
    """The loss that the model was tuned with, of each text of a batch."""
    targets = torch.from_numpy(labels[batch.rows]).to(logits.device, torch.float32)
    return losses(logits.float(), targets, kind)


def run_stage(task: str, seed: int | None = None) -> None:
    """Measure the gradients of the loss with respect to attention weights on TASK.

    By default the models have the task's first seed.
    """
    seed = seeds_of(task, seed)[0]
    parameters = section(Gradients, "gradients")
    definition = load_task(task)
    device = start(read_runtime(), parameters.seed)
    examples = read_examples(examples_file(task, "validation"))
    drawn = draw_examples(examples, parameters.examples, parameters.seed)
    labels = drawn["label"].to_numpy()
    tables = []
    for arm in ARMS:
        folder = model_folder(task, arm, seed)
        tokenizer = load_tokenizer(folder)
        gated = Gated(load_tuned(folder).to(device))
        batches = encode(tokenizer, drawn, definition.max_length).batches(parameters.batch, device)
        found = kind_table(
            gated,
            batches,
            KindIds.of(tokenizer, parameters.punctuation),
            partial(task_loss, labels=labels, kind=definition.kind),
            len(drawn),
        )
        means = partial(
            resampled_means,
            groups=np.arange(len(drawn)),
            resamples=parameters.resamples,
            seed=parameters.seed,
        )
        tables.append(layer_table(found, gated.layers, means).assign(arm=arm))
    TASKS.write(tables, data=task, seed=seed)
