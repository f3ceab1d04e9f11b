"""Steps of a reader of this project, against transformers' own way of multiple choice.

All sides tune the same weights on the same rows of the same questions, as many a step, in fp32, on
the same threads. This project tunes readers side by side, one thread each: as many of them as there
are threads, whose time is shared out; or one by itself on all threads. The plain side is Trainer
with BertForMultipleChoice and its collator as its examples have it: one reader after the other on
all threads, an order drawn by chance, all options of a step in one pass, padded to the longest of
them. It takes questions with one number of options alone, so all get those.
"""

import contextlib
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from transformers import (
    BertForMultipleChoice,
    DataCollatorForMultipleChoice,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)

from benchmarks.at_once import at_once
from benchmarks.pairs import ratios, take_turns
from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.inputs import Inputs, encode_questions
from stages.core.questions.question import Question
from stages.core.questions.scoring import option_scores
from stages.core.questions.task import load_question_task
from stages.core.runtime.runtime import Runtime, find_device, start
from stages.core.stage.arms import TUNED
from stages.core.stage.files import InputError
from stages.core.stage.settings import section
from stages.core.tasks.examples import drawn_rows
from stages.core.written import written_questions
from stages.finetune.readers.run import load_reader, reader_settings
from stages.finetune.readers.training import order_of, padding_of, train
from stages.finetune.training import Finetune, set_dropout
from stages.questions.sources import read_source

OWN, ALONE = "this project", "this project, one reader on all threads"
PLAIN = "transformers' multiple choice"
NEVER = 10**9  # steps between two states


@dataclass(frozen=True)
class Bench:
    """What both sides tune, and on what."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    inputs: Inputs
    settings: Finetune
    runtime: Runtime

    @property
    def device(self) -> torch.device:
        return find_device(self.runtime.device)


def compare(
    configuration: Path, task: str, steps: int, rounds: int, runtime: Runtime
) -> pd.DataFrame:
    """One row a side: seconds a step, how many times as long as here, and the share of padding.

    Args:
        configuration: folder of a configuration that has the task; its questions are read anew.
        steps: of one run.

    Returns:
        side, seconds (of a step; median of the rounds), ratio (median of the rounds' ratios),
        lowest, highest, padding (share of all places), difference (of the scores of any option
        before tuning, at most), questions and steps.
    """
    bench = prepared(configuration, task, steps, runtime)
    plain = as_multiple_choice(bench.model)
    collator = CountingCollator(bench.tokenizer)
    difference = np.abs(own_scores(bench) - plain_scores(bench, plain)).max()
    with at_once(ready, (configuration.resolve(), task, steps, runtime), runtime.threads) as tune:
        sides = {
            OWN: tune,
            ALONE: lambda: tuned(bench),
            PLAIN: lambda: tuned_plainly(bench, plain, collator),
        }
        times = take_turns(sides, rounds)
    times.loc[times["side"] == OWN, "seconds"] /= runtime.threads
    table = ratios(times, to=OWN)
    order = order_of(bench.inputs, bench.settings, 0)
    own = padding_of(bench.inputs, order, bench.settings)
    padding = {OWN: own, ALONE: own, PLAIN: collator.padding_share}
    return table.assign(
        seconds=table["seconds"] / steps,
        padding=table["side"].map(padding),
        difference=difference,
        questions=bench.settings.batch,
        steps=steps,
    )


def ready(configuration: Path, task: str, steps: int, runtime: Runtime) -> Callable[[], None]:
    """What tunes a reader on one thread, in a process of its own."""
    alone = runtime.model_copy(update={"threads": 1})
    start(alone, seed=0)
    bench = prepared(configuration, task, steps, alone)
    return lambda: tuned(bench)


def prepared(configuration: Path, task: str, steps: int, runtime: Runtime) -> Bench:
    """The training questions of one number of options, as many as the steps take, drawn.

    Raises:
        InputError: there are not so many, or the encoder is no BERT.
    """
    with contextlib.chdir(configuration):  # where a task's own files are looked for
        entry = load_question_task(task)
        if entry.data.source == "written":
            splits = written_questions(entry.data)
        else:
            splits = read_source(task, entry)
        changes = {"epochs": 1, "accumulation": 1, "precision": "fp32", "compile": False}
        settings = reader_settings(task, entry).model_copy(update=changes)
        checkpoint = locate(section(Checkpoint, "checkpoint")).resolve()  # loaded outside
    found = of_one_size(splits["train"])
    wanted = steps * settings.batch
    if len(found) < wanted:
        raise InputError(
            f"{task}: {steps} steps take {wanted} questions of {len(found[0].options)} options, "
            f"and there are {len(found)}; ask for fewer steps"
        )
    tokenizer = load_tokenizer(checkpoint)
    model = load_reader(checkpoint, entry.max_length, TUNED, 0)
    if model.config.model_type != "bert":
        raise InputError(
            f"{checkpoint}: of the type {model.config.model_type}, and the plain side is "
            "BertForMultipleChoice; take a configuration of a BERT"
        )
    set_dropout(model, settings.dropout)
    drawn = [found[row] for row in drawn_rows(len(found), wanted, 0)]
    inputs = encode_questions(tokenizer, drawn, entry.max_length)
    return Bench(model, tokenizer, inputs, settings, runtime)


def of_one_size(questions: list[Question]) -> list[Question]:
    """Those with the number of options that most have."""
    sizes = Counter(len(question.options) for question in questions)
    size = sizes.most_common(1)[0][0]
    return [question for question in questions if len(question.options) == size]


def as_multiple_choice(model: PreTrainedModel) -> BertForMultipleChoice:
    """The same weights; both classes call them alike."""
    plain = BertForMultipleChoice(model.config)
    plain.load_state_dict(model.state_dict())
    # As its dropout may have been set apart from the config.
    for own, other in zip(model.modules(), plain.modules(), strict=True):
        if isinstance(own, torch.nn.Dropout):
            other.p = own.p
    return plain


def own_scores(bench: Bench) -> np.ndarray:
    """Scores of the options of the first step's questions, of whose passes others are part."""
    model = bench.model.to(bench.device).eval()
    few = bench.settings.batch
    scores = option_scores(model, bench.inputs, bench.settings.pass_tokens, bench.device)
    return scores[: int(bench.inputs.counts[:few].sum())]


def plain_scores(bench: Bench, plain: BertForMultipleChoice) -> np.ndarray:
    """The same by the plain side."""
    rows = plain_rows(bench)[: bench.settings.batch]
    batch = DataCollatorForMultipleChoice(bench.tokenizer)(rows)
    batch = {name: values.to(bench.device) for name, values in batch.items() if name != "labels"}
    with torch.inference_mode():
        return plain.to(bench.device).eval()(**batch).logits.flatten().cpu().numpy()


def plain_rows(bench: Bench) -> list[dict[str, Any]]:
    """Token ids of all options, and the label, of each question: what the collator takes."""
    rows = []
    for question, answer in enumerate(bench.inputs.answers):
        options = bench.inputs.rows_of(np.array([question]))
        ids = {
            name: [of[row] for row in options] for name, of in bench.inputs.encoded.inputs.items()
        }
        rows.append(ids | {"labels": int(answer)})
    return rows


class CountingCollator(DataCollatorForMultipleChoice):
    """The collator as it is; counts the places of its batches, and those that are padding."""

    real = places = 0

    def torch_call(self, examples: list[dict[str, Any]]) -> dict[str, Tensor]:
        batch = super().torch_call(examples)
        self.real += int(batch["attention_mask"].sum())
        self.places += batch["attention_mask"].numel()
        return batch

    @property
    def padding_share(self) -> float:
        """The share of all places so far."""
        return 1 - self.real / self.places


def tuned(bench: Bench) -> None:
    """Tune as the stage `readers` does; as there, the last state is saved."""
    runtime = bench.runtime.model_copy(update={"checkpoint_steps": NEVER})
    order = order_of(bench.inputs, bench.settings, 0)
    with tempfile.TemporaryDirectory() as folder:
        common = (bench.settings, runtime, bench.device, Path(folder))
        train(bench.model, bench.inputs, order, *common, lambda said: None)


def tuned_plainly(bench: Bench, plain: BertForMultipleChoice, collator: CountingCollator) -> None:
    """Tune with transformers' Trainer as it comes; it saves the last state as well."""
    settings = bench.settings
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=plain,
            args=TrainingArguments(
                output_dir=folder,
                per_device_train_batch_size=settings.batch,
                num_train_epochs=1,
                learning_rate=settings.learning_rate,
                warmup_steps=settings.warmup,  # below 1, Trainer takes it as a share of all steps
                weight_decay=settings.weight_decay,
                max_grad_norm=settings.gradient_norm,
                seed=0,
                use_cpu=bench.device.type == "cpu",
                save_steps=NEVER,
                disable_tqdm=True,
                report_to="none",
            ),
            train_dataset=plain_rows(bench),
            data_collator=collator,
        )
        trainer.train()
