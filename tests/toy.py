"""A task of made-up sentences, for stages that run as functions in a folder of their own."""

from pathlib import Path

import numpy as np
import torch
from ruamel.yaml import YAML

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.tasks.examples import examples_frame, read_examples, write_examples
from stages.core.tasks.task import load_task
from stages.finetune.task_model import load_task_model

WORDS = "the a dog cat house garden river book song teacher sees likes finds not . ,".split()  # noqa: SIM905
PARAMETERS = {
    "run": {"seeds": [0], "control_seeds": None},
    "runtime": {"device": "cpu", "threads": 1, "workers": 0},
    "tasks": {
        "toy": {
            "data": {"source": "written", "train": 1, "validation": 1, "seed": 0},
            "kind": "classification",
            "labels": 2,
            "metrics": ["accuracy"],
            "max_length": 40,
        }
    },
}


def write_parameters(**sections) -> None:
    """Write params.yaml: a task `toy`, and the sections that the stage under test reads."""
    with Path("params.yaml").open("w") as stream:
        YAML().dump(PARAMETERS | sections, stream)


def examples_path(task: str) -> Path:
    return Path(f"work/tasks/{task}/validation.parquet")


def write_examples_of(task: str, count: int, pairs: bool = True) -> None:
    """Texts of 2 to 15 words, others for each task, and labels in turn."""
    generator = np.random.default_rng(list(task.encode()))
    rows = []
    for row in range(count):
        a, b = (" ".join(generator.choice(WORDS, generator.integers(2, 16))) for _ in range(2))
        rows.append(
            {
                "id": f"{task}-{row}",
                "text_a": a,
                "text_b": b if pairs else None,
                "label": float(row % 2),
            }
        )
    write_examples(examples_frame(iter(rows)), examples_path(task))


def write_models(checkpoint: Path, *arms: str, seed: int = 0) -> None:
    """One model an arm, each of random weights of its own."""
    for number, arm in enumerate(arms, start=10 * seed):
        folder = f"work/models/toy/{arm}-{seed}"
        load_task_model(checkpoint, load_task("toy"), "tuned_from_random", number).save_pretrained(
            folder
        )
        load_tokenizer(checkpoint).save_pretrained(folder)


def eager_attention(arm: str, seed: int = 0) -> dict[str, np.ndarray]:
    """The maps of every example as transformers itself returns them, one example at a time."""
    folder = Path(f"work/models/toy/{arm}-{seed}")
    model = load_tuned(folder)
    model.set_attn_implementation("eager")
    examples = read_examples(examples_path("toy"))
    encoded = encode(load_tokenizer(folder), examples, 40)
    maps = {}
    with torch.inference_mode():
        for batch in encoded.batches(1):
            attentions = model(**batch.inputs, output_attentions=True).attentions
            maps[examples["id"][batch.rows[0]]] = torch.cat(attentions).numpy()
    return maps
