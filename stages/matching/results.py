"""The tables of `stages.matching.tables`, from the measures of every model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.heads.gates import Head
from stages.core.intervals.intervals import percentile_interval
from stages.core.outcomes.outcomes import Outcomes
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, TUNED_FROM_RANDOM, UNTUNED, Arm
from stages.core.tables import drawn_of, estimate_columns
from stages.matching.gates import effects_of_gates
from stages.matching.reading import reading_table
from stages.matching.selection import (
    ON_SHARED,
    Figures,
    Lines,
    SelectedHeads,
    resampled,
    scores_beyond_chance,
)
from stages.matching.tables import (
    ABLATED,
    FIGURES,
    GROUPS,
    HEADS,
    MATCHING,
    OTHERS,
    READING,
    SCORE,
    SHARES,
    STRONGEST,
    UPPER,
)

# The arm before tuning.
BEFORE: dict[Arm, Arm] = {TUNED: UNTUNED, TUNED_FROM_RANDOM: RANDOM_WEIGHTS}


@dataclass(frozen=True)
class ReadingHead:
    """The head that reads. Its ablation raises the loss on training examples by `loss`.

    Attributes:
        rows: figures of its [CLS] row, as `read_by` returns them.
    """

    head: Head
    loss: float
    rows: Float[np.ndarray, "figure condition example"]


@dataclass(frozen=True)
class MatchingResult:
    """The measures of one model.

    Attributes:
        train, validation: figures of the examples that select heads, and of those that score.
        outcomes: of gates, by the name of the sample.
        reading: None where no head reads.
    """

    arm: Arm
    seed: int
    train: Figures
    validation: Figures
    selected: SelectedHeads
    outcomes: dict[str, Outcomes]
    reading: ReadingHead | None

    @property
    def heads(self) -> dict[str, list[Head]]:
        """The heads of each group."""
        return {name: getattr(self.selected, name) for name in (MATCHING, STRONGEST, OTHERS, UPPER)}

    @property
    def keys(self) -> dict[str, str | int]:
        """The seed and the arm."""
        return {"seed": self.seed, "arm": self.arm}


def write_results(results: Sequence[MatchingResult], resamples: int, seed: int, task: str) -> None:
    """Write all tables of a task."""
    lines = {
        (result.arm, result.seed): resampled(result.validation, resamples, seed)
        for result in results
    }
    heads, groups, effects, reading = [], [], [], []
    for result in results:
        lines_of_arm = lines[result.arm, result.seed]
        heads.append(rows_of_heads(result, lines_of_arm))
        groups.append(rows_of_groups(result, lines_of_arm, _before(result, lines)))
        for sample, outcomes in result.outcomes.items():
            table = effects_of_gates(outcomes, sample, resamples, seed, result.arm)
            effects.append(table.assign(**result.keys))
        if result.reading is not None:
            layer, head = result.reading.head
            rows = reading_table(result.reading.rows, resamples, seed)
            keys = result.keys | {"layer": layer, "head": head}
            reading.append(rows.assign(**keys, loss=result.reading.loss))
    HEADS.write(heads, data=task)
    GROUPS.write(groups, data=task)
    ABLATED.write(effects, data=task)
    READING.write(reading, data=task)  # without rows if no head matches or none reads


def _before(
    result: MatchingResult, lines: dict[tuple[Arm, int], dict[str, Lines]]
) -> dict[str, Lines] | None:
    """The lines of the model before tuning; None for an arm without tuning."""
    before = BEFORE.get(result.arm)
    # There is one untuned model; each seed has random weights of its own.
    return next(
        (
            lines[arm, seed]
            for arm, seed in lines
            if arm == before and (arm == UNTUNED or seed == result.seed)
        ),
        None,
    )


def rows_of_heads(result: MatchingResult, lines: dict[str, Lines]) -> pd.DataFrame:
    """The rows of `HEADS` of one model."""
    layers, heads = result.validation.shape[2:]
    layer, head = np.divmod(np.arange(layers * heads), heads)
    pairs = list(zip(layer.tolist(), head.tolist(), strict=True))
    reader = result.reading.head if result.reading else None
    score = lines[SCORE].reshape(len(lines[SCORE]), -1)
    table = pd.DataFrame(
        {
            **result.keys,
            "layer": layer,
            "head": head,
            "matches": [pair in result.heads[MATCHING] for pair in pairs],
            "reads": [pair == reader for pair in pairs],
            "training_score": scores_beyond_chance(result.train).ravel(),
            **estimate_columns(SCORE, score[0], *percentile_interval(score[1:].T)),
            "examples": count_of_cases(result.validation),
        }
    )
    shown = (*SHARES, "shared", *ON_SHARED)
    return table.assign(**{name: lines[name][0].ravel() for name in shown})


def rows_of_groups(
    result: MatchingResult, lines: dict[str, Lines], before: dict[str, Lines] | None
) -> pd.DataFrame:
    """The rows of `GROUPS` of one model: means over the heads that it selected.

    Args:
        before: lines of the model before tuning; without them the values are NaN.
    """
    rows = []
    for group, heads in result.heads.items():
        if not heads:
            continue
        layer, head = np.array(heads).T
        for figure in FIGURES:
            row = result.keys | {"group": group, "figure": figure, "heads": len(heads)}
            for column, of_heads in (("share", lines), ("before", before)):
                if of_heads is None:
                    line = np.full(len(lines[figure]), np.nan)
                else:
                    line = of_heads[figure][:, layer, head].mean(1)
                row |= estimate_columns(column, line[0], *percentile_interval(line[1:]))
                row[drawn_of(column)] = line[1:]
            rows.append(row | {"examples": count_of_cases(result.validation)})
    return pd.DataFrame(rows)


def count_of_cases(figures: Figures) -> int:
    """The number of examples with a term in both texts."""
    return int((~np.isnan(figures[0, :, 0, 0])).sum())
