"""Do heads tell the order of words, and is it they that see a shuffled title? (T6)

Query-title study, section 2.3: a title whose characters are shuffled is graded 2 in place of 4;
with seven heads off that look at the order, 3; with seven random heads off, still 2. Here the order
heads are found by a score (`order_heads`) on training pairs, which grade nothing, and turned off on
all validation pairs (`turned_off`, `grades`), beside random heads of the same layers. Words and
pieces are exchanged apart, and each have order heads of their own.
"""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float
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
from stages.core.stage.tables import MeasuredTable, interval_columns
from stages.core.tasks.examples import draw_examples, drawn_rows, read_examples
from stages.core.tasks.task import Task, load_task, seeds_of
from stages.word_order import tables
from stages.word_order.grades import Weights, grades_of, mean_rows, quantities, share_rows
from stages.word_order.order_heads import (
    DIRECTIONS,
    Given,
    OrderHeads,
    attention_given,
    find_heads,
    means,
)
from stages.word_order.shuffles import Shuffled, shuffle
from stages.word_order.tables import Unit
from stages.word_order.turned_off import (
    Asked,
    Gates,
    Graded,
    count_of,
    logits_under,
    outcomes_under,
    shared_out,
)

TABLES = (tables.HEADS, tables.QUANTITIES, tables.GRADES, tables.MEANS, tables.TEXTS)


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
    """Grade pairs whose second text is shuffled, with order heads on and off.

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
        for declared in TABLES:
            frames = [pd.concat(study.rows[declared]).assign(seed=study.seed) for study in studies]
            drawn = None
            if declared.resampled:
                drawn = [np.concatenate(study.drawn)[None] for study in studies]
            declared.write(frames, drawn, task=task)


class Study:
    """The study of one seed's encoders.

    Attributes:
        run: folder for finished batches.
        rows: of each table.
        drawn: the resamples of `QUANTITIES`.
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
        self.rows: dict[MeasuredTable, list[pd.DataFrame]] = {table: [] for table in TABLES}
        self.intact: dict[tuple, tuple[np.ndarray, np.ndarray]] = {}
        self.drawn: list[Float[np.ndarray, "quantity resample"]] = []

    def measure(self, arms: Iterable[Arm]) -> None:
        """Fill the tables; order heads are looked for in each arm."""
        for arm in arms:
            folder = model_folder(self.task, arm, self.seed)
            tokenizer = load_tokenizer(folder)
            gated = Gated(load_tuned(folder).to(self.device))
            for unit in self.parameters.units:
                choosing, pairs = (
                    self._shuffled(tokenizer, examples, unit)
                    for examples in (self.train, self.validation)
                )
                found = self._find(gated, choosing, pairs, unit, arm)
                if arm == TUNED:
                    self._grade(gated, pairs, found, unit)

    def _shuffled(
        self, tokenizer: PreTrainedTokenizerBase, examples: pd.DataFrame, unit: Unit
    ) -> Shuffled:
        length, seed = self.definition.max_length, self.parameters.shuffle_seed
        shuffled = shuffle(tokenizer, examples, length, unit, seed)
        if len(shuffled.kept) < 2:
            raise InputError(
                f"{PARAMETER_FILE}: `word_order`: fewer than two second texts have two different "
                f"{unit}; name other tasks, or leave {unit} out of `word_order.units`"
            )
        return shuffled

    def _find(
        self, gated: Gated, choosing: Shuffled, pairs: Shuffled, unit: Unit, arm: Arm
    ) -> list[Head]:
        """The order heads, found on training pairs; their rows, scored on validation pairs."""
        own, batch = self.parameters, self.parameters.batch
        drawn = drawn_rows(len(pairs.kept), own.find_examples, own.seed)
        scoring = pairs.only(drawn)
        given = [attention_given(gated, part, batch, self.runtime) for part in (choosing, scoring)]
        # Both streams are of the seed alone: encoders are resampled alike.
        weights = tuple(
            line_weights(count, own.resamples, stream)
            for count, stream in (
                (len(choosing.kept), own.seed + 1),
                (len(scoring.kept), own.seed),
            )
        )
        count = count_of(own.heads, gated.layers * gated.heads)
        found = find_heads(*given, count, weights)
        self.rows[tables.HEADS].append(self._heads(found, given[1], gated.heads, unit, arm))
        value, *resampled = found.lines
        low, high = percentile_interval(np.array(resampled))
        columns = {"value": value, "low": low, "high": high}
        self._add(unit, arm, [{"quantity": tables.SCORE, **columns, "examples": len(drawn)}])
        self.drawn.append(np.array([resampled]))
        return [divmod(int(head), gated.heads) for head in found.heads]

    def _heads(
        self, found: OrderHeads, given: Given, heads: int, unit: Unit, arm: Arm
    ) -> pd.DataFrame:
        """One row a head: what it gives in the direction that was better where heads are found."""
        count = given.shape[-1]
        every, names = np.arange(count), np.array(list(DIRECTIONS))
        parts = means(given)[:, found.every_direction, every]
        score, resampled = found.every[0], found.every[1:]
        return pd.DataFrame(
            {
                "arm": arm,
                "unit": unit,
                "layer": every // heads,
                "head": every % heads,
                "direction": names[found.every_direction],
                **dict(zip(("intact", "by_position", "former"), parts, strict=True)),
                **interval_columns("score", score, *percentile_interval(resampled.T)),
                "chosen": found.chosen(count),
            }
        )

    def _add(self, unit: Unit, arm: Arm, rows: list[dict]) -> None:
        self.rows[tables.QUANTITIES].append(pd.DataFrame(rows).assign(unit=unit, arm=arm))

    def _grade(self, gated: Gated, pairs: Shuffled, order_heads: list[Head], unit: Unit) -> None:
        """Grades of all validation pairs that have another order, and what follows from them."""
        own = self.parameters
        gates = Gates(order_heads, self.draws, own.draw_examples, own.seed)
        outcomes = outcomes_under(
            gates, partial(self._run, gated, unit), pairs, gated.heads, self.intact
        )
        draws = len(outcomes.random)
        weights = Weights.drawn(len(pairs.kept), draws, own.resamples, own.seed, self.seed)
        fallen = int(outcomes.fallen.sum())
        rows = []
        for name, lines in quantities(outcomes, weights).items():
            columns = dict(zip(("value", "low", "high"), weights.interval(lines), strict=True))
            count = fallen if name in tables.AMONG_FALLEN else len(pairs.kept)
            rows.append({"quantity": name, **columns, "examples": count})
            self.drawn.append(lines[None, 1 : 1 + own.resamples])
        self._add(unit, TUNED, rows)
        names = dict(enumerate(self.definition.label_names)) or outcomes.whole_numbers()
        shares, means = share_rows(outcomes, weights, names), mean_rows(outcomes, weights)
        self.rows[tables.GRADES].append(pd.DataFrame(shares).assign(unit=unit))
        self.rows[tables.MEANS].append(pd.DataFrame(means).assign(unit=unit))
        labels = self.validation["label"]
        texts = {
            "unit": unit,
            "pairs": len(self.validation),
            "without_other_order": len(self.validation) - len(pairs.kept),
            "exchanged": pairs.exchanged_share,
            "heads_off": len(order_heads),
            "steps": len(names) - 1 if self.definition.labels else labels.max() - labels.min(),
            "written": self.definition.data.source == "written",
        }
        self.rows[tables.TEXTS].append(pd.DataFrame([texts]))

    def _run(self, gated: Gated, unit: Unit, asked: list[Asked]) -> list[Graded]:
        """Grades of pairs with every head on, and under each gate."""
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
