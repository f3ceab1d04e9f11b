"""Operations of readers of questions: their tuning, and what they are asked under every condition.

Rows are tokenised here: the table of sizes counts a passage once, however many rows have it, and
what conditions add to a row stands in no table.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int
from transformers import PreTrainedTokenizerBase

from benchmarks.cost import PASSES_OF_A_STEP
from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.control_seeds import control_seeds
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.gates import single_heads
from stages.core.questions.inputs import encode_questions
from stages.core.questions.places import questions_file
from stages.core.questions.question import Question, read_questions
from stages.core.questions.task import load_question_task, reader_seeds
from stages.core.questions.unanswerable import NAMES, REMOVALS, unanswerable
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.settings import PARAMETER_FILE, checked, section
from stages.core.tasks.examples import drawn_rows
from stages.finetune.readers.settings import Readers
from stages.finetune.training import Finetune
from stages.importance.cost import Geometry, least_for_grid
from stages.reading.attacks import TO_PASSAGE
from stages.reading.conditions import Condition, Versions, all_versions, different_rows, only
from stages.reading.stage import ANSWERABLE, MODE, Reading
from stages.reading.tables import INTACT
from tools.estimate_studies import Part

TUNED_READERS, READING = "readers of questions", "what readers go by"


class Asked:
    """One set of questions in the folder of a configuration."""

    def __init__(self, task: str, folder: Path, tokenizer: PreTrainedTokenizerBase):
        self.task, self.folder, self.tokenizer = task, folder, tokenizer
        self.file = folder / PARAMETER_FILE
        self.entry = load_question_task(task, self.file)

    @property
    def readers(self) -> dict[str, int]:
        """How many readers there are of each arm."""
        return readers_of(self.task, self.file)

    def questions(self, split: str) -> list[Question]:
        """The questions of a split.

        Raises:
            InputError: they are not made yet.
        """
        file = self.folder / questions_file(self.task, split)
        if not file.is_file():
            raise InputError(
                f"{file}: not there yet; `dvc repro questions` makes it in a few seconds"
            )
        return read_questions(file)

    def lengths(self, questions: list[Question]) -> Int[np.ndarray, " row"]:
        """Tokens of every row, one an option."""
        return encode_questions(self.tokenizer, questions, self.entry.max_length).encoded.lengths

    @cached_property
    def versions(self) -> Versions:
        """The validation questions that readers are asked, under every condition."""
        own, every = section(Reading, "reading", self.file), self.questions("validation")
        drawn = [every[row] for row in drawn_rows(len(every), own.examples, own.seed)]
        facts = (self.entry.max_length, own.shuffle_seed, own.least_degree)
        return all_versions(self.tokenizer, drawn, *facts)


def of_readers(folder: Path, geometry: Geometry) -> Iterator[Part]:
    """The tuning of the readers of every set of questions, and what they are asked.

    Raises:
        InputError: the questions are not made yet.
    """
    stages, file = read_yaml(folder / "dvc.yaml")["stages"], folder / PARAMETER_FILE
    if not (tasks := question_tasks(folder)):
        return
    tokenizer = load_tokenizer(locate(section(Checkpoint, "checkpoint", file)))
    for task in tasks:
        asked = Asked(task, folder, tokenizer)
        yield tuning(asked, geometry)
        if "reading" in stages:
            own = section(Reading, "reading", file)
            yield READING, own.precision, reading(asked, own, geometry), 0


def question_tasks(folder: Path) -> list[str]:
    """The sets of questions that the pipeline of a configuration tunes readers on."""
    if "readers" not in read_yaml(folder / "dvc.yaml")["stages"]:
        return []
    return section(Readers, "readers", folder / PARAMETER_FILE).tasks


def readers_of(task: str, file: Path) -> dict[str, int]:
    """How many readers there are of each arm, as the stage `readers` makes them."""
    own, every = section(Readers, "readers", file), reader_seeds(task, file=file)
    both = {TUNED: len(every), TUNED_FROM_RANDOM: len(control_seeds(every, file))}
    count = len(every[: own.unanswerable_seeds])
    return both | {name: count for name in NAMES if name in own.unanswerable}


def tuning(asked: Asked, geometry: Geometry) -> Part:
    """Every reader's epochs of whole steps, and its answers to the validation questions."""
    common: dict[str, Any] = section(dict, "finetune", asked.file)
    finetune = checked(Finetune, common | asked.entry.finetune, f"{asked.file}: {asked.task}")
    train = asked.questions("train")
    # What does not fill a batch is left out of an epoch.
    share = len(train) // finetune.batch * finetune.batch / len(train)
    after = forward(asked.lengths(asked.questions("validation")), geometry)
    intact = forward(asked.lengths(train), geometry)
    operations, steps = 0.0, 0
    for arm, count in asked.readers.items():
        epoch = intact  # a shuffled text has as many words as before
        if arm in REMOVALS:
            rest = [unanswerable(arm, one, 0).question for one in train]
            epoch = forward(asked.lengths(rest), geometry)
        operations += count * (finetune.epochs * share * PASSES_OF_A_STEP * epoch + after)
        steps += count * finetune.epochs * (len(train) // finetune.batch)
    return TUNED_READERS, finetune.precision, operations, steps


def reading(asked: Asked, own: Reading, geometry: Geometry) -> float:
    """Answers under every condition, each head off on some questions, and the maps of [CLS].

    Readers of questions that nobody can answer are asked intact ones alone.
    """
    inputs, readers = asked.versions.inputs, asked.readers
    count = len(inputs[Condition(INTACT)].counts)
    every, _ = different_rows(list(inputs.values()))
    whole = forward(every.lengths, geometry)
    drawn = drawn_rows(count, own.head_examples, [own.seed, 1])
    of_heads = [
        only(inputs[Condition(name, attack)], drawn)
        for attack in own.head_attacks
        for name in (INTACT, attack)
    ]
    if of_heads:
        gates = list(single_heads(geometry.layers, geometry.heads, MODE))
        rows, _ = different_rows(of_heads)
        whole += by_length(
            rows.lengths,
            lambda length: least_for_grid(geometry, gates, [length], own.precision == "fp32"),
        )
    drawn = drawn_rows(count, own.cls_examples, [own.seed, 2])
    for name in (INTACT, TO_PASSAGE):
        own_rows = only(inputs[Condition(name, TO_PASSAGE)], drawn).encoded
        whole += forward(own_rows.lengths, geometry)
    intact = forward(inputs[Condition(INTACT)].encoded.lengths, geometry)
    return sum(number * (whole if arm in ANSWERABLE else intact) for arm, number in readers.items())


def forward(lengths: Int[np.ndarray, " row"], geometry: Geometry) -> float:
    """Whole passes of rows."""
    return by_length(lengths, geometry.forward)


def by_length(lengths: Int[np.ndarray, " row"], operations: Callable[[int], int]) -> float:
    """The sum of what rows take, asked once for each length."""
    found = zip(*np.unique(lengths, return_counts=True), strict=True)
    return float(sum(int(count) * operations(int(length)) for length, count in found))
