"""Tune the encoder for a task, from pretrained or random weights (Kovaleva et al. 2019, Table 1).

The arms are those of `stages.core.stage.arms`; `tuned` is what one calls fine-tuning.
"""

import json
import resource
import shutil
import time
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import torch
import typer
from tqdm import tqdm
from transformers import PreTrainedModel

from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.checkpoint import load_task_model, load_tokenizer
from stages.core.encoder.source import Checkpoint, locate
from stages.core.runtime.runtime import read_runtime, start
from stages.core.runtime.scratch import code_of, fingerprint, open_scratch
from stages.core.stage.arms import ARM_HELP, WITH_TUNING, Arm
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.places import MEASURES, SCRATCH, examples_file, model_folder
from stages.core.stage.settings import PARAMETER_FILE, checked, section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.metrics import METRICS, predictions_from_logits
from stages.core.tasks.task import Task, load_task
from stages.finetune.processes import (
    end_with_torchrun,
    is_first_process,
    on_one_gpu,
    process_count,
    run_under_torchrun,
)
from stages.finetune.training import Finetune, examples_a_pass, train

RUNS = SCRATCH / "finetune"
CODE = [*code_of("encoder/*.py"), *sorted(Path(__file__).parent.glob("*.py"))]
PLACES = 6  # decimal places of scores


def main(
    task: Annotated[str, typer.Option(help="An entry of `tasks` in params.yaml.")],
    arm: Annotated[Arm, typer.Option(help=ARM_HELP)],
    seed: Annotated[int, typer.Option(help="Of the fresh weights, dropout and the order.")],
) -> None:
    """Tune the encoder for TASK from ARM with SEED; write the model, its predictions and scores.

    Killed and run again, it goes on from its last saved state, to the same bits.
    """
    end_with_torchrun()
    definition = load_task(task)
    settings = task_settings(task, definition)
    runtime = on_one_gpu(read_runtime())
    folder = locate(section(Checkpoint, "checkpoint"))
    tokenizer = load_tokenizer(folder)
    paths = {split: examples_file(task, split) for split in ("train", "validation")}
    examples = {split: read_examples(path) for split, path in paths.items()}
    model = load_task_model(folder, definition, arm, seed)
    device = start(runtime, seed)
    key = f"{task}-{arm}-{seed}"

    if arm in WITH_TUNING:
        examples_a_pass(settings, len(examples["train"]), runtime)
        if settings.precision == "tf32" and device.type != "cuda":
            raise InputError(
                f"{PARAMETER_FILE}: `finetune.precision` is tf32, which only CUDA has, but "
                f"`runtime.device` is {device}; use fp32 or bf16"
            )
        run_under_torchrun(runtime, "stages.finetune.__main__")
        identity = {
            "run": [key, definition.model_dump(), settings.model_dump()],
            "place": [device.type, runtime.threads, process_count(runtime)],
            "versions": [version("torch"), version("transformers"), version("accelerate")],
        }
        weights = sorted(folder.glob("model*.safetensors"))
        scratch = RUNS / key / fingerprint(identity, [paths["train"], *weights, *CODE])
        if is_first_process():
            open_scratch(scratch)
        began = time.monotonic()
        train(
            model,
            encode(tokenizer, examples["train"], definition.max_length),
            examples["train"]["label"].to_numpy(),
            settings,
            runtime,
            device,
            seed,
            scratch,
        )
        if not is_first_process():
            return
        print(f"{key}: {time.monotonic() - began:.0f} s of tuning, {peak_memory(device)}")

    encoded = encode(tokenizer, examples["validation"], definition.max_length)
    predictions = predict(
        model.to(device).eval(), encoded, examples["validation"], definition, settings.batch, device
    )
    with atomic(model_folder(task, arm, seed)) as partial:
        model.save_pretrained(partial)
        load_tokenizer(folder).save_pretrained(partial)  # fresh: use leaves traces in a tokenizer
    with atomic(MEASURES / "finetune" / f"{key}.parquet") as partial:
        predictions.to_parquet(partial, index=False, compression="zstd")
    with atomic(MEASURES / "finetune" / f"{key}.json") as partial:
        facts = {"task": task, "arm": arm, "seed": seed, "metrics": scores(predictions, definition)}
        facts["examples"] = {split: len(frame) for split, frame in examples.items()}
        facts["finetune"] = settings.model_dump() if arm in WITH_TUNING else None
        partial.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(RUNS / key, ignore_errors=True)


def task_settings(name: str, task: Task) -> Finetune:
    """The section `finetune` with the keys that the task's own entry replaces.

    Raises:
        InputError: a key or a value is wrong.
    """
    common = section(Finetune, "finetune").model_dump()
    return checked(Finetune, common | task.finetune, f"{PARAMETER_FILE}: `tasks.{name}.finetune`")


def predict(
    model: PreTrainedModel,
    encoded: Encoded,
    examples: pd.DataFrame,
    task: Task,
    batch: int,
    device: torch.device,
) -> pd.DataFrame:
    """One row an example, in order: id, label, prediction, logit_0, ... (float32, no autocast)."""
    logits = np.zeros((len(examples), task.outputs), dtype=np.float32)
    total = -(-len(examples) // batch)
    with torch.inference_mode():
        for part in tqdm(encoded.batches(batch, device), "validation", total, disable=None):
            logits[part.rows] = model(**part.inputs).logits.float().cpu().numpy()
    table = examples[["id", "label"]].reset_index(drop=True)
    table["prediction"] = predictions_from_logits(logits, task.kind)
    return table.assign(**{f"logit_{index}": column for index, column in enumerate(logits.T)})


def scores(predictions: pd.DataFrame, task: Task) -> dict[str, float]:
    """The task's metrics on its validation examples, as shares of 1."""
    labels, predicted = predictions["label"].to_numpy(), predictions["prediction"].to_numpy()
    return {name: round(float(METRICS[name](labels, predicted)), PLACES) for name in task.metrics}


def peak_memory(device: torch.device) -> str:
    """The peak memory of this process so far, in words."""
    words = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB of memory"
    if device.type == "cuda":
        words += f", {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB of GPU memory"
    return f"{words} at the peak"


if __name__ == "__main__":
    stage_command(main)
