"""From what was measured of every encoder to the tables of `stages.matching.tables`."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.heads.gates import Head
from stages.core.intervals.intervals import percentile_interval
from stages.core.outcomes.outcomes import Outcomes
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, TUNED_FROM_RANDOM, UNTUNED, Arm
from stages.core.stage.tables import interval_columns
from stages.matching.choosing import ON_SHARED, Chosen, Figures, Lines, resampled, scores
from stages.matching.reading import reading_table
from stages.matching.tables import (
    FIGURES,
    GROUPS,
    HEADS,
    MATCHING,
    OFF,
    OTHERS,
    READING,
    SCORE,
    STRONGEST,
    UPPER,
)
from stages.matching.turning_off import DrawnTable, off_table

# What each arm was tuned from.
BEFORE: dict[Arm, Arm] = {TUNED: UNTUNED, TUNED_FROM_RANDOM: RANDOM_WEIGHTS}


@dataclass(frozen=True)
class ReadingHead:
    """The head that reads: the loss on training examples rises by `loss` without it.

    Attributes:
        rows: figures of its [CLS] row, as `read_by` returns them.
    """

    head: Head
    loss: float
    rows: Float[np.ndarray, "figure condition example"]


@dataclass(frozen=True)
class MatchingResult:
    """The measures of one encoder.

    Attributes:
        train, validation: figures of the examples that choose, and of the others.
        outcomes: of gates, by the name of the sample.
        reading: None where no head reads.
    """

    arm: Arm
    seed: int
    train: Figures
    validation: Figures
    chosen: Chosen
    outcomes: dict[str, Outcomes]
    reading: ReadingHead | None

    @property
    def heads(self) -> dict[str, list[Head]]:
        """The heads of each group."""
        return {name: getattr(self.chosen, name) for name in (MATCHING, STRONGEST, OTHERS, UPPER)}

    @property
    def place(self) -> dict[str, str | int]:
        return {"arm": self.arm, "seed": self.seed}


def write_tables(results: Sequence[MatchingResult], resamples: int, seed: int, task: str) -> None:
    """Write every table of a task, of all its encoders."""
    lines = {(own.arm, own.seed): resampled(own.validation, resamples, seed) for own in results}
    HEADS.write([heads_table(own, lines[own.arm, own.seed]) for own in results], task=task)
    groups, drawn = zip(
        *(part for own in results for part in group_tables(own, results, lines)), strict=True
    )
    GROUPS.write(groups, drawn, task=task)
    off: list[DrawnTable] = []
    reading: dict[str, list] = defaultdict(list)
    for own in results:
        for sample, outcomes in own.outcomes.items():
            table = off_table(outcomes, sample, resamples, seed, own.arm)
            off.append(DrawnTable(table.rows.assign(**own.place), table.drawn))
        if own.reading is not None:
            rows, again = reading_table(own.reading.rows, resamples, seed)
            layer, head = own.reading.head
            reader = {"reading_layer": layer, "reading_head": head, "loss": own.reading.loss}
            reading["rows"].append(rows.assign(**own.place, **reader))
            reading["drawn"].append(again)
    OFF.write([table.rows for table in off], [table.drawn for table in off], task=task)
    # Where no head matches, or none reads, the file is there all the same: DVC asks for it.
    READING.write(reading["rows"], reading["drawn"], task=task)


def heads_table(own: MatchingResult, lines: dict[str, Lines]) -> pd.DataFrame:
    """One row a head of an encoder."""
    layers, heads = own.validation.shape[2:]
    layer, head = np.divmod(np.arange(layers * heads), heads)
    places = list(zip(layer.tolist(), head.tolist(), strict=True))
    reader = own.reading.head if own.reading else None
    score = lines[SCORE].reshape(len(lines[SCORE]), -1)
    table = pd.DataFrame(
        {
            **own.place,
            "layer": layer,
            "head": head,
            "matching": [place in own.heads[MATCHING] for place in places],
            "reading": [place == reader for place in places],
            "found": scores(own.train).ravel(),
            **interval_columns(SCORE, score[0], *percentile_interval(score[1:].T)),
            "count": cases(own.validation),
        }
    )
    shown = (*FIGURES[1:], "shared", *ON_SHARED)
    return table.assign(**{name: lines[name][0].ravel() for name in shown})


def group_tables(
    own: MatchingResult,
    results: Sequence[MatchingResult],
    lines: dict[tuple[Arm, int], dict[str, Lines]],
) -> list[tuple[pd.DataFrame, Float[np.ndarray, "column row resample"]]]:
    """The groups of heads of an encoder, in it and in the one that it was tuned from."""
    found = [group_table(own, own, lines[own.arm, own.seed])]
    before = BEFORE.get(own.arm)
    for other in results:
        # There is one untuned encoder, and one of random weights for each that was tuned from it.
        if other.arm == before and (before == UNTUNED or other.seed == own.seed):
            found.append(group_table(own, other, lines[other.arm, other.seed]))
    return [part for part in found if len(part[0])]


def group_table(
    chooses: MatchingResult, measured: MatchingResult, lines: dict[str, Lines]
) -> tuple[pd.DataFrame, Float[np.ndarray, "column row resample"]]:
    """One row a group and figure: the mean over the heads that one encoder chose, in another.

    The seed is that of the encoder whose heads they are.
    """
    rows, drawn = [], []
    for group, heads in chooses.heads.items():
        if not heads:
            continue
        layer, head = np.array(heads).T
        for figure in FIGURES:
            line = lines[figure][:, layer, head].mean(1)
            low, high = percentile_interval(line[1:])
            rows.append(
                {
                    "arm": measured.arm,
                    "seed": chooses.seed,
                    "heads_of": chooses.arm,
                    "group": group,
                    "figure": figure,
                    "heads": len(heads),
                    **interval_columns("", line[0], low, high, "value"),
                    "count": cases(measured.validation),
                }
            )
            drawn.append(line[1:])
    return pd.DataFrame(rows), np.array(drawn)[None]


def cases(figures: Figures) -> int:
    """How many examples have a term in both texts."""
    return int((~np.isnan(figures[0, :, 0, 0])).sum())
