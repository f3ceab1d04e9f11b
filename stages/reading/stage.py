"""What readers of multiple-choice questions go by (Si et al. 2019).

Every reader answers validation questions: intact, under three attacks and their four controls, and
without passage, question or both (`conditions`); readers that were trained on questions that nobody
can answer are asked intact ones alone. Beyond the source: of the readers of answerable questions,
each head is off on intact and on attacked questions (`head_effects`), and the attention of their
[CLS] is asked for (`cls_attention`). Beside the reader that was tuned from the checkpoint stands
the one that was tuned from random weights, and what can be had without reading (`baselines`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Int
from pydantic import Field, NonNegativeInt, PositiveInt

from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.pieces import resumable
from stages.core.questions.places import questions_file, reader_folder
from stages.core.questions.question import Question, read_questions
from stages.core.questions.tables import READER_RUNS
from stages.core.questions.task import load_question_task
from stages.core.runtime.runtime import Precision, Runtime, read_runtime, start
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.files import InputError
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
from stages.reading.results import ClsAttention, ReaderResult, WithoutHeads, write_tables
from stages.reading.scoring import outcomes_of, outcomes_of_gates, score_rows
from stages.reading.tables import INTACT

# Readers of questions that can be answered; all others read questions that nobody can answer.
ANSWERABLE = (TUNED, TUNED_FROM_RANDOM)
MODE = "zero"


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
class AskedReader:
    """One reader of a set of questions.

    Attributes:
        max_length: tokens of a row at most, as the reader was trained.
        state: folder for finished pieces.
    """

    questions: str
    reader: str
    seed: int
    max_length: int
    parameters: Reading
    runtime: Runtime
    state: Path

    @property
    def model(self) -> Path:
        return reader_folder(self.questions, self.reader, self.seed)


def run_stage(task: str, seed: int | None = None) -> None:
    """Ask readers of multiple-choice questions, intact and attacked, with each head off and on.

    Killed and run again, it takes finished pieces of scores and grids from `work/scratch`.
    """
    parameters, runtime = section(Reading, "reading"), read_runtime()
    asked = drawn_questions(task, parameters)
    max_length = load_question_task(task).max_length
    with resumable("reading", task) as state:
        results = [
            measure(
                AskedReader(
                    task,
                    reader,
                    own,
                    max_length,
                    parameters,
                    runtime,
                    state / f"{reader}-{own}",
                ),
                asked,
            )
            for reader, own in readers_of(task, seed)
        ]
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


def measure(reader: AskedReader, questions: Sequence[Question]) -> ReaderResult:
    """The answers of one reader; of a reader of answerable questions, its heads and its [CLS]."""
    own, runtime = reader.parameters, reader.runtime
    device = start(runtime, own.seed)
    tokenizer = load_tokenizer(reader.model)
    gated = Gated(load_tuned(reader.model).to(device))
    answerable = reader.reader in ANSWERABLE
    if answerable:
        made = all_versions(
            tokenizer, questions, reader.max_length, own.shuffle_seed, own.least_degree
        )
    else:
        made = Versions(trained_on(tokenizer, questions, reader.max_length), {})
    outcomes = outcomes_of(
        made.inputs,
        lambda rows: score_rows(
            gated, rows, own.tokens, runtime, reader.state / "scores", reader.model
        ),
    )
    return ReaderResult(
        reader.reader,
        reader.seed,
        outcome_rows(outcomes, made, questions),
        shuffled_rows(made),
        without_heads(reader, gated, made, len(questions)) if answerable else None,
        cls_attention(reader, gated, made, questions) if answerable else None,
    )


def without_heads(reader: AskedReader, gated: Gated, made: Versions, count: int) -> WithoutHeads:
    """Outcomes of some questions with each head ablated, intact and under each attack."""
    own = reader.parameters
    drawn = drawn_rows(count, own.head_examples, [own.seed, 1])
    conditions = {
        condition: only(made.inputs[condition], drawn)
        for attack in own.head_attacks
        for condition in (Condition(INTACT, attack), Condition(attack, attack))
    }
    if not conditions:
        return WithoutHeads({}, gated.heads, drawn)
    rows, places = different_rows(list(conditions.values()))
    grid = Grid(gated, list(single_heads(gated.layers, gated.heads, MODE)), None, own.precision)
    before, after = run_gates(
        grid, rows, own.batch, reader.runtime, reader.state / "heads", reader.model
    )
    scores = np.concatenate([before[None], after])[..., 0]
    outcomes = outcomes_of_gates(scores, conditions, places)
    by_attack = {
        attack: np.stack(
            [outcomes[Condition(INTACT, attack)], outcomes[Condition(attack, attack)]], axis=1
        )
        for attack in own.head_attacks
    }
    return WithoutHeads(by_attack, gated.heads, drawn)


def cls_attention(
    reader: AskedReader, gated: Gated, made: Versions, questions: Sequence[Question]
) -> ClsAttention:
    """The attention of [CLS] on some questions, intact and with words appended."""
    own = reader.parameters
    drawn: Int[np.ndarray, " some"] = drawn_rows(len(questions), own.cls_examples, [own.seed, 2])
    some = [questions[row] for row in drawn]
    tokenizer = load_tokenizer(reader.model)
    versions = {
        name: only(made.inputs[Condition(name, TO_PASSAGE)], drawn) for name in (INTACT, TO_PASSAGE)
    }
    at_end = versions[TO_PASSAGE].appended
    to_parts = {
        name: attention_to_parts(
            gated,
            version,
            parts_of_rows(tokenizer, some, version, at_end),
            own.map_batch,
            f"{reader.questions} {reader.reader}-{reader.seed} [CLS]",
        )
        for name, version in versions.items()
    }
    return ClsAttention(to_parts, drawn)
