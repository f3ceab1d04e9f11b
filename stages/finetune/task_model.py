"""A model of a task before it is tuned: the encoder of a checkpoint, or random weights."""

from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from stages.core.encoder.checkpoint import load_encoder_with_report
from stages.core.encoder.configuration import read_config
from stages.core.encoder.tokenizer import require_positions
from stages.core.stage.arms import FROM_CHECKPOINT, Arm
from stages.core.tasks.task import Task


def load_task_model(folder: Path, task: Task, arm: Arm, seed: int) -> PreTrainedModel:
    """A classifier on the encoder of `folder`, before tuning (Kovaleva et al. 2019, section 4.3).

    `untuned` and `tuned` take the checkpoint's encoder with a fresh head; the others draw every
    matrix from the normal distribution, as BERT was before its pretraining (standard deviation
    `initializer_range`; biases 0, layer norms 1). A head in the checkpoint is never used.

    Raises:
        InputError: as `load_encoder`, or `task.max_length` is beyond the encoder's positions.
    """
    names = task.label_names or ["score"]
    config = read_config(
        folder,
        id2label=dict(enumerate(names)),
        label2id={name: index for index, name in enumerate(names)},
        problem_type="regression" if task.kind == "regression" else "single_label_classification",
    )
    require_positions(config, folder, task.max_length, "`max_length` of the task")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModelForSequenceClassification.from_config(
            config, dtype=torch.float32, attn_implementation="sdpa"
        )
    if arm in FROM_CHECKPOINT:
        encoder, missing = load_encoder_with_report(folder)
        weights = {
            name: value for name, value in encoder.state_dict().items() if name not in missing
        }
        # Not strict: the classifier of some families has no pooler.
        model.base_model.load_state_dict(weights, strict=False)
    return model.eval()
