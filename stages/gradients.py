"""Is attention to [CLS] and [SEP] a no-op: gradients of the task's loss, by kind of token (C3).

Clark et al. 2019, section 3.2, take the loss of masked words; `surface` does where the checkpoint
has an MLM head. Here it is the loss of the task, of the tuned encoder and of random weights.
"""

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from jaxtyping import Float
from pydantic import NonNegativeInt, PositiveInt
from torch import Tensor

from stages.core.attention.statistics import KindIds
from stages.core.choice import group_means
from stages.core.effects.gradients import losses
from stages.core.encoder.batches import Batch, encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
from stages.core.heads.seam import Gated
from stages.core.machine.runtime import read_runtime, start
from stages.core.project.examples import draw_examples, read_examples
from stages.core.project.parameters import Parameters, section, stage_command
from stages.core.project.tasks import load_task
from stages.core.recordings.tables import write_tables
from stages.core.token_gradients import kind_table, layer_table

ARMS = ("pretrained", "untrained")  # as `finetune` names them: tuned, and random weights


class Gradients(Parameters):
    """The section `gradients` of `params.yaml`."""

    examples: PositiveInt | None  # validation examples, at most; null: all
    batch: PositiveInt  # examples that go through together
    punctuation: list[str]  # tokens that count as punctuation
    resamples: PositiveInt  # of the bootstrap over examples
    seed: NonNegativeInt  # of the draw of examples and of the bootstrap


def task_loss(
    logits: Float[Tensor, "text classes"],
    batch: Batch,
    labels: Float[np.ndarray, " example"],
    kind: str,
) -> Float[Tensor, " text"]:
    """The loss that the model was tuned with, of each text of a batch."""
    targets = torch.from_numpy(labels[batch.rows]).to(logits.device, torch.float32)
    return losses(logits.float(), targets, kind)


def main(
    task: Annotated[str, typer.Option(help="A task of `tasks` in params.yaml.")],
    seed: Annotated[int, typer.Option(help="The seed of the fine-tuned model.")],
) -> None:
    """Measure the gradients of the loss with respect to attention weights on TASK."""
    parameters = section(Gradients, "gradients")
    definition = load_task(task)
    device = start(read_runtime(), parameters.seed)
    examples = read_examples(f"work/tasks/{task}/validation.parquet")
    drawn = draw_examples(examples, parameters.examples, parameters.seed)
    labels = drawn["label"].to_numpy()
    tables = []
    for arm in ARMS:
        folder = Path(f"work/models/{task}-{arm}-{seed}")
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
            group_means,
            groups=np.arange(len(drawn)),
            resamples=parameters.resamples,
            seed=parameters.seed,
        )
        tables.append(layer_table(found, gated.layers, means).assign(arm=arm))
    write_tables(f"gradients/{task}", {"": tables})


if __name__ == "__main__":
    stage_command(main)
