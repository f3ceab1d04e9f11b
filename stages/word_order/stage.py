"""Heads that follow the order of words, and their effect on the grades of shuffled texts (T6).

Query-title study, section 2.3: the grade of a title falls from 4 to 2 if its characters are
shuffled. It is 3 with seven order heads ablated, and 2 with seven random heads ablated. Here
training pairs select the order heads by a score (`order_heads`). They and random heads of the same
layers are ablated on all validation pairs (`ablation`, `grades`). Words and pieces are two studies,
each with order heads of its own.
"""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt
from transformers import PreTrainedTokenizerBase

from stages.core.control_seeds import control_seeds
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.gates import Head
from stages.core.heads.seam import Gated
from stages.core.intervals.groups import line_weights
from stages.core.intervals.intervals import percentile_interval
from stages.core.pieces import resumable
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, Arm
from stages.core.stage.files import InputError
from stages.core.stage.places import examples_file, model_folder
from stages.core.stage.settings import PARAMETER_FILE, Resampled, section
from stages.core.tables import Table, estimate_columns
from stages.core.tasks.examples import draw_examples, drawn_rows, read_examples
from stages.core.tasks.task import Task, load_task, seeds_of
from stages.word_order import tables
from stages.word_order.ablation import (
    Asked,
    Graded,
    HeadsToAblate,
    count_of,
    logits_under,
    outcomes_under,
    shared_out,
)
from stages.word_order.grades import (
    LineWeights,
    changes_table,
    grades_of,
    grades_table,
    means_table,
    returns_table,
)
from stages.word_order.order_heads import (
    DIRECTIONS,
    Given,
    OrderHeads,
    attention_given,
    mean_attention,
    select_order_heads,
)
from stages.word_order.shuffles import ShuffledPairs, shuffle_pairs
from stages.word_order.tables import Unit

TABLES = (
    *(tables.HEADS, tables.SCORES, tables.CHANGES, tables.RETURNS),
    *(tables.GRADES, tables.MEANS, tables.TEXTS),
)


class WordOrder(Resampled, section="word_order"):
    """The section `word_order` of `params.yaml`."""

    tasks: list[str]
    units: list[Unit] = Field(min_length=1)
    heads: float = Field(gt=0, le=1)
    find_examples: PositiveInt
    draws: PositiveInt
    draw_examples: PositiveInt
    batch: PositiveInt
    shuffle_seed: NonNegativeInt


def run_stage(task: str, seed: int | None = None) -> None:
    """Grade pairs whose second text is shuffled, with and without order heads.

    Killed and run again, it takes finished batches of grades from `work/scratch`.
    """
    parameters = section(WordOrder, "word_order")
    definition = load_task(task)
    every, seeds = seeds_of(task), seeds_of(task, seed)
    with resumable("word_order", task) as state:
        studies = []
        for tuned_with in seeds:
            draws = shared_out(parameters.draws, every, tuned_with)
            arms: list[Arm] = [TUNED]
            if tuned_with in control_seeds(every):
                arms.append(RANDOM_WEIGHTS)
            study = Study(task, definition, parameters, tuned_with, draws, state / str(tuned_with))
            study.measure(arms)
            studies.append(study)
        for table in TABLES:
            table.write([rows for study in studies for rows in study.rows[table]], data=task)


class Study:
    """The study of one seed's encoders.

    Attributes:
        run: folder for finished batches.
        rows: of each table.
    """

    def __init__(
        self,
        task: str,
        definition: Task,
        parameters: WordOrder,
        seed: int,
        draws: list[int],
        run: Path,
    ):
        self.task, self.definition, self.parameters = task, definition, parameters
        self.seed, self.draws, self.run = seed, draws, run
        self.runtime = read_runtime()
        self.device = start(self.runtime, parameters.seed)
        train, self.validation = (
            read_examples(examples_file(task, split)) for split in ("train", "validation")
        )
        if train["text_b"].isna().any() or self.validation["text_b"].isna().any():
            raise InputError(
                f"{PARAMETER_FILE}: `word_order.tasks` names {task}, whose examples have no second "
                "text that could be shuffled; name tasks of pairs alone"
            )
        self.train = draw_examples(train, parameters.find_examples, parameters.seed)
        self.rows: dict[Table, list[pd.DataFrame]] = {table: [] for table in TABLES}
        self.intact: dict[tuple, tuple[np.ndarray, np.ndarray]] = {}

    def measure(self, arms: Iterable[Arm]) -> None:
        """Fill the tables; each arm selects its order heads."""
        for arm in arms:
            folder = model_folder(self.task, arm, self.seed)
            tokenizer = load_tokenizer(folder)
            gated = Gated(load_tuned(folder).to(self.device))
            for unit in self.parameters.units:
                selecting, pairs = (
                    self._shuffled(tokenizer, examples, unit)
                    for examples in (self.train, self.validation)
                )
                order_heads = self._select(gated, selecting, pairs, unit, arm)
                if arm == TUNED:
                    self._grade(gated, pairs, order_heads, unit)

    def _shuffled(
        self, tokenizer: PreTrainedTokenizerBase, examples: pd.DataFrame, unit: Unit
    ) -> ShuffledPairs:
        length, seed = self.definition.max_length, self.parameters.shuffle_seed
        shuffled = shuffle_pairs(tokenizer, examples, length, unit, seed)
        if len(shuffled.rows) < 2:
            raise InputError(
                f"{PARAMETER_FILE}: `word_order`: fewer than two second texts have two different "
                f"{unit}; name other tasks, or leave {unit} out of `word_order.units`"
            )
        return shuffled

    def _select(
        self, gated: Gated, selecting: ShuffledPairs, pairs: ShuffledPairs, unit: Unit, arm: Arm
    ) -> list[Head]:
        """The order heads, selected on training pairs; their rows, scored on validation pairs."""
        parameters = self.parameters
        drawn = drawn_rows(len(pairs.rows), parameters.find_examples, parameters.seed)
        scoring = pairs.only(drawn)
        given = [
            attention_given(gated, some, parameters.batch, self.runtime)
            for some in (selecting, scoring)
        ]
        # Both streams depend on the seed alone, so all models have the same resamples.
        weights = tuple(
            line_weights(count, parameters.resamples, stream)
            for count, stream in (
                (len(selecting.rows), parameters.seed + 1),
                (len(scoring.rows), parameters.seed),
            )
        )
        count = count_of(parameters.heads, gated.layers * gated.heads)
        selected = select_order_heads(*given, count, weights)
        self._add(tables.HEADS, rows_of_order_heads(selected, given[1], gated.heads), unit, arm)
        resampled = selected.lines[1:]
        score = estimate_columns(
            "score", selected.lines[0], *percentile_interval(resampled), resampled[None]
        )
        self._add(tables.SCORES, pd.DataFrame(score | {"examples": len(drawn)}), unit, arm)
        return [divmod(int(head), gated.heads) for head in selected.heads]

    def _add(self, table: Table, rows: pd.DataFrame, unit: Unit, arm: Arm) -> None:
        self.rows[table].append(rows.assign(seed=self.seed, arm=arm, unit=unit))

    def _grade(
        self, gated: Gated, pairs: ShuffledPairs, order_heads: list[Head], unit: Unit
    ) -> None:
        """The rows of all tables of grades, over the validation pairs with another order."""
        parameters = self.parameters
        gates = HeadsToAblate(order_heads, self.draws, parameters.draw_examples, parameters.seed)
        outcomes = outcomes_under(
            gates, partial(self._run, gated, unit), pairs, gated.heads, self.intact
        )
        weights = LineWeights.drawn(
            len(pairs.rows),
            len(outcomes.random),
            parameters.resamples,
            parameters.seed,
            self.seed,
        )
        names = dict(enumerate(self.definition.label_names)) or outcomes.whole_numbers()
        labels = self.validation["label"]
        texts = {
            "pairs": len(self.validation),
            "without_other_order": len(self.validation) - len(pairs.rows),
            "exchanged": pairs.exchanged_share,
            "heads_ablated": len(order_heads),
            "steps": len(names) - 1 if self.definition.labels else labels.max() - labels.min(),
            "written": self.definition.data.source == "written",
        }
        for table, rows in (
            (tables.CHANGES, changes_table(outcomes, weights)),
            (tables.RETURNS, returns_table(outcomes, weights)),
            (tables.GRADES, grades_table(outcomes, weights, names)),
            (tables.MEANS, means_table(outcomes, weights)),
            (tables.TEXTS, pd.DataFrame([texts])),
        ):
            self._add(table, rows, unit, TUNED)

    def _run(self, gated: Gated, unit: Unit, asked: list[Asked]) -> list[Graded]:
        """Grades of pairs without ablation, and under each gate."""
        kind = self.definition.kind
        return [
            (grades_of(before, kind), grades_of(after, kind))
            for before, after in logits_under(
                gated,
                asked,
                self.parameters.batch,
                self.runtime,
                self.run / unit,
                model_folder(self.task, TUNED, self.seed),
            )
        ]


def rows_of_order_heads(selected: OrderHeads, given: Given, heads: int) -> pd.DataFrame:
    """One row a head: its score and attention, in the direction that was better for selection.

    Args:
        given: attention on the pairs that score.
        heads: of a layer.
    """
    count = given.shape[-1]
    every, directions = np.arange(count), np.array(list(DIRECTIONS))
    attention = mean_attention(given)[:, selected.every_direction, every]
    score, resampled = selected.every[0], selected.every[1:]
    return pd.DataFrame(
        {
            "layer": every // heads,
            "head": every % heads,
            "direction": directions[selected.every_direction],
            **dict(zip(("intact", "by_position", "former"), attention, strict=True)),
            **estimate_columns("score", score, *percentile_interval(resampled.T)),
            "selected": selected.selected(count),
        }
    )
