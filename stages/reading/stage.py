"""Ask readers of multiple-choice questions what they rely on (Si et al. 2019).

Every reader answers validation questions: intact, under three attacks and their four controls, and
without passage, question or both (`conditions`). Readers that were trained on questions that nobody
can answer get intact questions alone. Beyond the source, readers of answerable questions answer
intact and attacked questions with each head ablated (`head_effects`), and the attention of their
[CLS] is measured (`cls_attention`). The control is the reader tuned from random weights;
`baselines` are accuracies without reading.
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
from stages.core.tables import Table
from stages.core.tasks.examples import drawn_rows
from stages.reading.attacks import TO_PASSAGE
from stages.reading.baselines import Unit
from stages.reading.cls_attention import attention_to_parts, parts_of_rows
from stages.reading.conditions import (
    Version,
    Versions,
    all_versions,
    different_rows,
    intact_alone,
    some_questions,
)
from stages.reading.head_effects import choices_table, effects_table
from stages.reading.results import (
    baselines_table,
    outcome_rows,
    parts_of_heads,
    parts_table,
    passages_of,
    scores_table,
    shuffled_rows,
)
from stages.reading.scoring import outcomes_of, outcomes_of_gates, score_rows
from stages.reading.tables import (
    BASELINES,
    CHOICES,
    CLS,
    CLS_HEADS,
    HEADS,
    INTACT,
    OUTCOMES,
    SCORES,
    SHUFFLED,
)

Tables = dict[Table, list[pd.DataFrame]]
# Readers of questions that can be answered; nobody can answer those of all other readers.
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

    @property
    def bootstrap(self) -> tuple[int, int]:
        """The number of resamples and their seed."""
        return self.resamples, self.seed


@dataclass(frozen=True)
class AskedReader:
    """One reader of a set of questions.

    Attributes:
        data: name of the set.
        max_length: tokens of a row at most, as in the reader's training.
        state: folder for finished pieces.
    """

    data: str
    arm: str
    seed: int
    max_length: int
    parameters: Reading
    runtime: Runtime
    state: Path

    @property
    def model(self) -> Path:
        return reader_folder(self.data, self.arm, self.seed)


def run_stage(task: str, seed: int | None = None) -> None:
    """Ask readers of multiple-choice questions, intact and attacked, with all heads and without.

    Killed and run again, it takes finished pieces of scores and grids from `work/scratch`.
    """
    parameters, runtime = section(Reading, "reading"), read_runtime()
    asked = drawn_questions(task, parameters)
    max_length = load_question_task(task).max_length
    with resumable("reading", task) as state:
        of_readers = []
        for arm, tuned_with in readers_of(task, seed):
            pieces = state / f"{arm}-{tuned_with}"
            reader = AskedReader(task, arm, tuned_with, max_length, parameters, runtime, pieces)
            of_readers.append(ask(reader, asked))
        for table in (OUTCOMES, SCORES, HEADS, CHOICES, CLS, CLS_HEADS):
            rows = [each for tables in of_readers for each in tables.get(table, [])]
            table.write(rows, data=task)
        # The versions of the questions are the same for every reader of answerable ones.
        SHUFFLED.write(of_readers[0][SHUFFLED], data=task)
        baselines = baselines_table(
            asked, parameters.length, passages_of(asked), *parameters.bootstrap
        )
        BASELINES.write(baselines, data=task)


def drawn_questions(data: str, parameters: Reading) -> list[Question]:
    """The validation questions that readers answer."""
    every = read_questions(questions_file(data, "validation"))
    return [every[row] for row in drawn_rows(len(every), parameters.examples, parameters.seed)]


def readers_of(data: str, seed: int | None) -> list[tuple[str, int]]:
    """The arm and the seed of each trained reader; readers of answerable questions stand first.

    The table of readers says which ones there are, as folders of earlier trainings may remain.

    Args:
        seed: select readers of this seed; None: all.

    Raises:
        InputError: there is none, or one lacks its folder.
    """
    table = READER_RUNS.path(data)
    try:
        rows = pd.read_parquet(table, columns=["arm", "seed"])
    except FileNotFoundError:
        rows = pd.DataFrame({"arm": [], "seed": []})
    except (OSError, ValueError) as error:
        raise InputError(f"{table}: not readable ({error}); train the readers anew") from None
    every = [(str(arm), int(number)) for arm, number in zip(rows["arm"], rows["seed"], strict=True)]
    readers = [(arm, number) for arm, number in every if seed in (None, number)]
    if not any(arm == TUNED for arm, _ in readers):
        raise InputError(
            f"{table}: no reader that was tuned from the checkpoint"
            + ("" if seed is None else f" with seed {seed}")
            + "; train the readers first, or mend `readers.tasks` in "
            f"{PARAMETER_FILE}"
        )

    for arm, number in readers:
        if not (folder := reader_folder(data, arm, number)).is_dir():
            raise InputError(
                f"{folder}: no such folder, but {table} has it; train the readers anew"
            )

    def order(reader: tuple[str, int]) -> tuple[int, str, int]:
        arm, number = reader
        known = ANSWERABLE.index(arm) if arm in ANSWERABLE else len(ANSWERABLE)
        return known, arm, number

    return sorted(readers, key=order)


def ask(reader: AskedReader, questions: Sequence[Question]) -> Tables:
    """The rows of one reader; only a reader of answerable questions has heads and [CLS]."""
    parameters, runtime = reader.parameters, reader.runtime
    device = start(runtime, parameters.seed)
    tokenizer = load_tokenizer(reader.model)
    gated = Gated(load_tuned(reader.model).to(device))
    answerable = reader.arm in ANSWERABLE
    if answerable:
        shuffles = parameters.shuffle_seed, parameters.least_degree
        made = all_versions(tokenizer, questions, reader.max_length, *shuffles)
    else:
        made = Versions(intact_alone(tokenizer, questions, reader.max_length), {})
    outcomes = outcomes_of(
        made.inputs,
        lambda rows: score_rows(
            gated, rows, parameters.tokens, runtime, reader.state / "scores", reader.model
        ),
    )
    rows, groups = outcome_rows(outcomes, made, questions), passages_of(questions)
    tables: Tables = {
        OUTCOMES: [rows.drop(columns="told_apart")],
        SCORES: [scores_table(rows, groups, *parameters.bootstrap)],
    }
    if answerable:
        tables |= ablated_heads(reader, gated, made, groups)
        tables |= attention_of_cls(reader, gated, made, questions)
    keys = {"arm": reader.arm, "seed": reader.seed}
    tables = {table: [rows.assign(**keys) for rows in every] for table, every in tables.items()}
    return tables | {SHUFFLED: [shuffled_rows(made)]}


def ablated_heads(
    reader: AskedReader, gated: Gated, made: Versions, groups: Int[np.ndarray, " question"]
) -> Tables:
    """The rows of `HEADS` and `CHOICES`: some questions with each head ablated."""
    parameters = reader.parameters
    drawn = drawn_rows(len(groups), parameters.head_examples, [parameters.seed, 1])
    conditions = {
        condition: some_questions(made.inputs[condition], drawn)
        for attack in parameters.head_attacks
        for condition in (Version(INTACT, attack), Version(attack, attack))
    }
    if not conditions:
        return {}
    rows, numbers = different_rows(list(conditions.values()))
    gates = list(single_heads(gated.layers, gated.heads, MODE))
    grid = Grid(gated, gates, None, parameters.precision)
    before, after = run_gates(
        grid, rows, parameters.batch, reader.runtime, reader.state / "heads", reader.model
    )
    scores = np.concatenate([before[None], after])[..., 0]
    outcomes = outcomes_of_gates(scores, conditions, numbers)
    heads, choices = [], []
    for attack in parameters.head_attacks:
        intact, attacked = (outcomes[Version(name, attack)] for name in (INTACT, attack))
        # Rounded as the outcomes of readers are.
        rounded = np.stack([intact, attacked], axis=1).astype(np.float32).astype(float)
        arguments = rounded, gated.heads, groups[drawn], *parameters.bootstrap
        heads.append(effects_table(*arguments).assign(attack=attack))
        choices.append(choices_table(*arguments).assign(attack=attack))
    return {HEADS: heads, CHOICES: choices}


def attention_of_cls(
    reader: AskedReader, gated: Gated, made: Versions, questions: Sequence[Question]
) -> Tables:
    """The rows of `CLS` and `CLS_HEADS`: some questions, intact and with words appended."""
    parameters = reader.parameters
    drawn = drawn_rows(len(questions), parameters.cls_examples, [parameters.seed, 2])
    some, groups = [questions[row] for row in drawn], passages_of(questions)[drawn]
    tokenizer = load_tokenizer(reader.model)
    versions = {
        name: some_questions(made.inputs[Version(name, TO_PASSAGE)], drawn)
        for name in (INTACT, TO_PASSAGE)
    }
    at_end = versions[TO_PASSAGE].appended
    shares, heads = [], []
    for condition, version in versions.items():
        parts = parts_of_rows(tokenizer, some, version, at_end)
        name = f"{reader.data} {reader.arm}-{reader.seed} [CLS]"
        to_parts = attention_to_parts(gated, version, parts, parameters.map_batch, name)
        rows = parts_table(to_parts, groups, *parameters.bootstrap)
        shares.append(rows.assign(condition=condition))
        heads.append(parts_of_heads(to_parts).assign(condition=condition))
    return {CLS: shares, CLS_HEADS: heads}
