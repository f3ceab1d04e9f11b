"""Seeds of a task tuned by this project, against transformers' Trainer one seed after the other.

Both sides tune the same models on the same examples with the same learning rate, warmup, decay,
batch and epochs, and predict the validation examples. The plain side is Trainer as its examples
have it: an order drawn by chance, padding to the longest of a batch, fp32, all threads at once.
This project's side is what the stage `finetune` runs, saving of models and states included.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers import (
    DataCollatorWithPadding,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)

from benchmarks.pairs import take_turns
from stages.core.bf16 import fast_in_bf16
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import result
from stages.core.runtime.runtime import DTYPES, Runtime, find_device, start
from stages.core.stage.arms import TUNED
from stages.core.stage.files import InputError
from stages.core.stage.places import SCRATCH, examples_file
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.tasks.examples import read_examples
from stages.core.tasks.metrics import METRICS, predictions_from_logits
from stages.finetune.run import FACTS_FILE, SPLITS, Run, make_all
from stages.finetune.stage import runs_of
from stages.finetune.task_model import load_task_model
from stages.finetune.training import set_dropout

PLAIN = "plain Trainer, fp32"


def compare(
    configuration: Path, task: str, seeds: int, rounds: int, runtime: Runtime
) -> pd.DataFrame:
    """One row a side: how many times as fast as the plain Trainer, and its scores.

    Args:
        configuration: folder of a configuration whose stage `prepare` has read the task.
        seeds: how many, from 0 on.

    Returns:
        side, seconds (median of the rounds), times_as_fast (median of the rounds' ratios), lowest,
        highest, and the mean of each metric over the seeds (shares of 1).
    """
    with workplace(configuration, task):
        runs = runs_of(task, [TUNED], range(seeds), runtime)
        found: dict[str, list[dict[str, float]]] = {}

        def own(side: str, precision: str) -> None:
            shutil.rmtree(SCRATCH, ignore_errors=True)
            now = [
                replace(run, settings=run.settings.model_copy(update={"precision": precision}))
                for run in runs
            ]
            make_all(now, len(read_examples(examples_file(task, "train"))))
            facts = [json.loads(result(run.scratch, FACTS_FILE).read_text()) for run in now]
            found[side] = [one["metrics"] for one in facts]

        def plain() -> None:
            found[PLAIN] = [tuned_plainly(run, runtime) for run in runs]

        sides: dict[str, Callable[[], None]] = {PLAIN: plain}
        fast = fast_in_bf16(find_device(runtime.device))  # elsewhere a run takes hours
        for precision in (name for name in DTYPES if name != "bf16" or fast):
            name = f"this project, {precision}"
            sides[name] = partial(own, name, precision)
        times = take_turns(sides, rounds)
    seconds = times.pivot(index="round", columns="side", values="seconds")
    rows = []
    for side in sides:
        ratio = seconds[PLAIN] / seconds[side]
        row = {"side": side, "seconds": seconds[side].median(), "times_as_fast": ratio.median()}
        row |= {"lowest": ratio.min(), "highest": ratio.max()}
        rows.append(row | pd.DataFrame(found[side]).mean().to_dict())
    return pd.DataFrame(rows).assign(task=task)


@contextmanager
def workplace(configuration: Path, task: str) -> Iterator[None]:
    """Within a temporary folder that has the configuration's settings and the task's examples.

    Raises:
        InputError: the task was not prepared.
    """
    tasks = examples_file(task, SPLITS[0]).parent
    if not (configuration / tasks).is_dir():
        raise InputError(
            f"{configuration / tasks}: no such folder; run `dvc repro prepare@{task}` in "
            f"{configuration}"
        )
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(configuration / PARAMETER_FILE, folder)
        Path(folder, tasks).parent.mkdir(parents=True)
        Path(folder, tasks).symlink_to((configuration / tasks).resolve())
        with chdir(folder):
            yield


def tuned_plainly(run: Run, runtime: Runtime) -> dict[str, float]:
    """The scores of a model that transformers' own Trainer has tuned with all threads."""
    start(runtime, run.seed)
    torch.set_num_threads(runtime.threads)
    settings, definition = run.settings, run.definition
    model = load_task_model(run.checkpoint, definition, TUNED, run.seed)
    set_dropout(model, settings.dropout)
    tokenizer = load_tokenizer(run.checkpoint)
    frames = {split: read_examples(examples_file(run.task, split)) for split in SPLITS}
    rows = {
        split: rows_of(tokenizer, frame, definition.max_length, definition.kind)
        for split, frame in frames.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=model,
            args=TrainingArguments(
                output_dir=folder,
                per_device_train_batch_size=settings.batch,
                per_device_eval_batch_size=settings.batch,
                num_train_epochs=settings.epochs,
                learning_rate=settings.learning_rate,
                # Below 1, Trainer takes it as a share of all steps.
                warmup_steps=settings.warmup,
                weight_decay=settings.weight_decay,
                max_grad_norm=settings.gradient_norm,
                seed=run.seed,
                use_cpu=runtime.device == "cpu",
                disable_tqdm=True,
                report_to="none",
            ),
            train_dataset=rows["train"],
            data_collator=DataCollatorWithPadding(tokenizer),
        )
        trainer.train()
        logits = trainer.predict(rows["validation"]).predictions
    predicted = predictions_from_logits(np.asarray(logits), definition.kind)
    labels = frames["validation"]["label"].to_numpy()
    return {name: float(METRICS[name](labels, predicted)) for name in definition.metrics}


def rows_of(
    tokenizer: PreTrainedTokenizerBase, frame: pd.DataFrame, max_length: int, kind: str
) -> list[dict[str, object]]:
    """Token ids, and the label, of each example: what `DataCollatorWithPadding` takes."""
    number = float if kind == "regression" else int
    rows = []
    for one in frame.itertuples():
        texts = [one.text_a] if pd.isna(one.text_b) else [one.text_a, one.text_b]
        encoded = dict(tokenizer(*texts, truncation=True, max_length=max_length))
        rows.append(encoded | {"labels": number(one.label)})
    return rows
