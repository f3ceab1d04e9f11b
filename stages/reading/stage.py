"""What readers of multiple-choice questions go by (Si et al. 2019).

Every reader answers validation questions: intact, under three attacks and their four controls, and
without passage, question or both (`conditions`); readers that were trained on questions that nobody
can answer are asked intact ones alone. Beyond the source: of the readers of answerable questions,
each head is off on intact and on attacked questions (`head_effects`), and the attention of their
[CLS] is asked for (`cls_attention`). Beside the reader that was tuned from the checkpoint stands
the one that was tuned from random weights, and what can be had without reading (`baselines`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Int
from pydantic import Field, NonNegativeInt, PositiveInt

from stages.core.closure import code_run_by
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import (
    files_in,
    finishing,
    forget_others,
    is_finished,
    result,
    run_folder,
)
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.questions.places import questions_file, reader_folder
from stages.core.questions.question import Question, read_questions
from stages.core.questions.tables import READER_RUNS
from stages.core.questions.task import load_question_task
from stages.core.runtime.runtime import Precision, Runtime, read_runtime, start
from stages.core.scratch import open_scratch
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.files import InputError
from stages.core.stage.places import SCRATCH
from stages.core.stage.settings import PARAMETER_FILE, Resampled, section
from stages.core.tasks.examples import drawn_rows
from stages.reading.attacks import TO_PASSAGE
from stages.reading.baselines import Unit
from stages.reading.cls_attention import attention_to_parts, parts_of_rows
from stages.reading.conditions import (
    Condition,
    Versions,
    all_versions,
    different_rows,
    only,
    trained_on,
)
from stages.reading.kept import outcome_rows, shuffled_rows
from stages.reading.results import Result, write_tables
from stages.reading.scoring import outcomes_of, outcomes_of_gates, score_rows
from stages.reading.tables import INTACT

RUNS = SCRATCH / "reading"
# Readers of questions that can be answered; all others read questions that nobody can answer.
ANSWERABLE = (TUNED, TUNED_FROM_RANDOM)
MODE = "zero"
# Of this room: `results` makes tables of what is kept.


class Reading(Resampled, section="reading"):
    """The section `reading` of `params.yaml`."""

    examples: PositiveInt | None
    least_degree: float = Field(gt=0, le=1)
    shuffle_seed: NonNegativeInt
    length: Unit
    head_attacks: list[Literal["AddSent2Pas-Shuffle", "AddSent2Opt-Shuffle", "AddAns2Opt-Shuffle"]]
    head_examples: PositiveInt | None
    cls_examples: PositiveInt | None
    precision: Precision
    tokens: PositiveInt
    batch: PositiveInt
    map_batch: PositiveInt


@dataclass(frozen=True)
class Run:
    """One reader of a set of questions, and the folder of its results.

    Attributes:
        max_length: tokens of a row at most, as the reader was trained.
    """

    questions: str
    reader: str
    seed: int
    max_length: int
    parameters: Reading
    runtime: Runtime

    @property
    def key(self) -> str:
        return f"{self.reader}-{self.seed}"

    @property
    def model(self) -> Path:
        return reader_folder(self.questions, self.reader, self.seed)

    @cached_property
    def folder(self) -> Path:
        """Where its results are kept, named by all that they depend on."""
        return run_folder(
            RUNS / self.questions / self.key,
            [
                self.max_length,
                self.parameters.model_dump(exclude={"resamples", "length"}),
            ],
            [
                *files_in(self.model),
                questions_file(self.questions, "validation"),
                *code_run_by(__name__),
            ],
            self.runtime,
        )


def run_stage(task: str, seed: int | None = None) -> None:
    """Ask readers of multiple-choice questions, intact and attacked, with each head off and on.

    What is finished of a reader is kept. Killed and run again, it goes on with the first piece of
    the reader that was not finished.
    """
    parameters, runtime = section(Reading, "reading"), read_runtime()
    asked = drawn_questions(task, parameters)
    max_length = load_question_task(task).max_length
    runs = [
        Run(task, reader, own, max_length, parameters, runtime)
        for reader, own in readers_of(task, seed)
    ]
    if seed is None:
        forget_others(RUNS / task, [run.key for run in runs])
    for run in runs:
        if is_finished(run.folder):
            print(f"{task} {run.key}: kept, as nothing changed that it depends on")
        else:
            measure(run, asked)
    results = [Result(run.reader, run.seed, result(run.folder)) for run in runs]
    bootstrap = parameters.resamples, parameters.seed
    write_tables(results, asked, parameters.length, *bootstrap, task)


def drawn_questions(questions: str, parameters: Reading) -> list[Question]:
    """The validation questions that readers are asked."""
    every = read_questions(questions_file(questions, "validation"))
    return [every[row] for row in drawn_rows(len(every), parameters.examples, parameters.seed)]


def readers_of(questions: str, seed: int | None) -> list[tuple[str, int]]:
    """The readers that were trained: on what, and with which seed. The tuned ones stand first.

    Folders of earlier trainings may lie beside theirs: the table says which ones there are.

    Args:
        seed: the only one that is asked for; None for all.

    Raises:
        InputError: there is none, or one lacks its folder.
    """
    table = READER_RUNS.path(questions=questions)
    try:
        rows = pd.read_parquet(table, columns=["arm", "seed"])
    except FileNotFoundError:
        rows = pd.DataFrame({"arm": [], "seed": []})
    except (OSError, ValueError) as error:
        raise InputError(f"{table}: not readable ({error}); train the readers anew") from None
    every = [(str(arm), int(own)) for arm, own in zip(rows["arm"], rows["seed"], strict=True)]
    found = [(reader, own) for reader, own in every if seed in (None, own)]
    if not any(reader == TUNED for reader, _ in found):
        raise InputError(
            f"{table}: no reader that was tuned from the checkpoint"
            + ("" if seed is None else f" with seed {seed}")
            + "; train the readers first, or mend `readers.tasks` in "
            f"{PARAMETER_FILE}"
        )

    for reader, own in found:
        if not (folder := reader_folder(questions, reader, own)).is_dir():
            raise InputError(
                f"{folder}: no such folder, but {table} has it; train the readers anew"
            )

    def place(item: tuple[str, int]) -> tuple[int, str, int]:
        reader, own = item
        known = ANSWERABLE.index(reader) if reader in ANSWERABLE else len(ANSWERABLE)
        return known, reader, own

    return sorted(found, key=place)


def measure(run: Run, questions: Sequence[Question]) -> None:
    """Keep what is measured of one reader in its folder, where finished pieces are."""
    own, runtime = run.parameters, run.runtime
    device = start(runtime, own.seed)
    tokenizer = load_tokenizer(run.model)
    gated = Gated(load_tuned(run.model).to(device))
    open_scratch(run.folder)
    if run.reader in ANSWERABLE:
        made = all_versions(
            tokenizer, questions, run.max_length, own.shuffle_seed, own.least_degree
        )
    else:
        made = Versions(trained_on(tokenizer, questions, run.max_length), {})
    outcomes = outcomes_of(
        made.inputs, lambda rows: score_rows(gated, rows, own.tokens, runtime, run.folder)
    )
    with finishing(run.folder) as folder:
        outcome_rows(outcomes, made, questions).to_parquet(folder / "outcomes.parquet")
        shuffled_rows(made).to_parquet(folder / "shuffled.parquet")
        if run.reader in ANSWERABLE:
            keep_heads(run, gated, made, len(questions), folder)
            keep_cls(run, gated, made, questions, folder)


def keep_heads(run: Run, gated: Gated, made: Versions, count: int, folder: Path) -> None:
    """Keep the outcomes of some questions with each head off, intact and under each attack."""
    own = run.parameters
    drawn = drawn_rows(count, own.head_examples, [own.seed, 1])
    conditions = {
        condition: only(made.inputs[condition], drawn)
        for attack in own.head_attacks
        for condition in (Condition(INTACT, attack), Condition(attack, attack))
    }
    facts = {"attacks": own.head_attacks, "heads": gated.heads, "questions": drawn.tolist()}
    (folder / "heads.json").write_text(json.dumps(facts), encoding="utf-8")
    if not conditions:
        return
    rows, places = different_rows(list(conditions.values()))
    grid = Grid(gated, list(single_heads(gated.layers, gated.heads, MODE)), None, own.precision)
    before, after = run_gates(grid, rows, own.batch, run.runtime, run.folder / "heads", run.model)
    scores = np.concatenate([before[None], after])[..., 0]
    found = outcomes_of_gates(scores, conditions, places)
    outcomes = [
        [found[Condition(INTACT, attack)], found[Condition(attack, attack)]]
        for attack in own.head_attacks
    ]
    np.save(folder / "heads.npy", np.array(outcomes).swapaxes(1, 2).astype(np.float32))


def keep_cls(
    run: Run, gated: Gated, made: Versions, questions: Sequence[Question], folder: Path
) -> None:
    """Keep the attention of [CLS] on some questions, intact and with words appended."""
    own = run.parameters
    drawn: Int[np.ndarray, " some"] = drawn_rows(len(questions), own.cls_examples, [own.seed, 2])
    some = [questions[row] for row in drawn]
    tokenizer = load_tokenizer(run.model)
    versions = [
        only(made.inputs[Condition(name, TO_PASSAGE)], drawn) for name in (INTACT, TO_PASSAGE)
    ]
    at_end = versions[1].appended
    found = [
        attention_to_parts(
            gated,
            version,
            parts_of_rows(tokenizer, some, version, at_end),
            own.map_batch,
            f"{run.questions} {run.key} [CLS]",
        )
        for version in versions
    ]
    shares, tokens = ([getattr(one, name) for one in found] for name in ("shares", "tokens"))
    np.savez(folder / "cls.npz", shares=shares, tokens=tokens, questions=drawn)
