"""Heads that match equal terms, and what depends on them (query-title study, 2.1 and 2.4).

What is said of attention is held against random weights, which choose their own heads; what is said
of tuning and of heads that are off, against the encoder that was tuned from random weights.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Literal

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, TUNED_FROM_RANDOM, UNTUNED, Arm
from stages.core.stage.tables import MeasuredTable
from stages.core.verdicts.answers import Answer, NotMeasured, decided_by_task, over_tasks
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of, over_seeds
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures
from stages.matching.tables import (
    ALL,
    DRAWS,
    GROUPS,
    KEPT_RANDOM,
    MATCHING,
    OFF,
    ON,
    RANDOM,
    READING,
    SCORE,
    STRONGEST,
)

PERCENT = 100
VALUE = ("value", "low", "high")
RELATIVE = ("relative", "relative_low", "relative_high")
NOT_TUNED_FROM_RANDOM = (
    "the encoder tuned from random weights has not learnt the task, or no head of it matches"
)
# The estimate of one run, a seed, from its rows of a table.
OfRun = Callable[[pd.DataFrame], Estimate]


@measure
def matching_score(
    measures: Measures, settings: Settings, task: str, arm: Arm, beside: str | None = None
) -> Answer:
    """What the heads that match most give to the equal term across, beyond chance.

    Mean over as many heads of the lower half as the source's share, chosen on training examples of
    the same arm.

    Args:
        beside: a group of heads whose score is taken off.
    """

    def score(run: pd.DataFrame) -> Estimate:
        own = _group(run, STRONGEST, SCORE)
        return own if beside is None else difference_of(own, _group(run, beside, SCORE))

    every = measures.drawn(GROUPS)
    rows = _rows(measures, GROUPS, TUNED) if arm == TUNED else every
    # Each of the two chose its heads itself.
    own, control = (
        _of_runs(some[(some["arm"] == one) & (some["heads_of"] == one)], score)
        for some, one in ((rows, arm), (every, RANDOM_WEIGHTS))
    )
    return _decided(task, arm, own, control)


@measure
def change_of_matching_heads(
    measures: Measures, settings: Settings, task: str, figure: str, beside: str | None = None
) -> Answer:
    """How tuning changes a share of the matching heads' attention: tuned less untuned.

    The heads are those that match in the tuned encoder; of terms that have an equal one across.

    Args:
        figure: one of `FIGURES`: `equal` (to the equal term), `itself`, `sep`.
        beside: a group of heads whose change is taken off.
    """

    def change(run: pd.DataFrame) -> Estimate:
        groups = [_change(run, group, figure) for group in (MATCHING, beside) if group]
        return groups[0] if beside is None else difference_of(*groups)

    return _of_tuned(measures, GROUPS, "heads_of", task, change)


@measure
def without_heads(
    measures: Measures, settings: Settings, task: str, off: str, beside: str | None = None
) -> Answer:
    """Relative change of the metric with some heads off, less (`beside`) that with others off.

    Args:
        off: a family of gates of `stages.matching.tables`; `beside` likewise. Where one of them is
            random, both are of the examples that random draws run on.
    """
    sample = DRAWS if {off, beside} & {RANDOM, KEPT_RANDOM} else ALL

    def effect(run: pd.DataFrame) -> Estimate:
        own = run[run["sample"] == sample]
        found = [
            _row(own, "family", family, RELATIVE, "examples") for family in (off, beside) if family
        ]
        return (found[0] if beside is None else difference_of(*found)).scaled(PERCENT)

    return _of_tuned(measures, OFF, "arm", task, effect)


@measure
def reading_head(
    measures: Measures, settings: Settings, task: str, figure: Literal["share", "entropy"]
) -> Answer:
    """How the [CLS] row of the head that reads changes without the matching heads, less how it
    changes without random heads of the same layers."""
    columns = (figure, f"{figure}_low", f"{figure}_high")

    def change(run: pd.DataFrame) -> Estimate:
        rows = {off: _row(run, "off", off, columns, "count") for off in (ON, MATCHING, RANDOM)}
        # What it is with every head on stands in both changes.
        return difference_of(rows[MATCHING], rows[RANDOM])

    return _of_tuned(measures, READING, "arm", task, change)


def _of_tuned(
    measures: Measures, table: MeasuredTable, arm_in: str, task: str, estimate: OfRun
) -> Answer:
    """An estimate of the tuned encoder, beside that of the one tuned from random weights.

    Args:
        arm_in: the column that says of which of the two a row is.
    """
    rows = _rows(measures, table, TUNED)
    own = _of_runs(rows[rows[arm_in] == TUNED], estimate)
    control: dict[str, list[Estimate]] = {}
    with suppress(NotMeasured):
        others = _rows(measures, table, TUNED_FROM_RANDOM)
        control = _of_runs(others[others[arm_in] == TUNED_FROM_RANDOM], estimate)
    return _decided(task, TUNED, own, control)


def _rows(measures: Measures, table: MeasuredTable, arm: Arm) -> pd.DataFrame:
    return of_learnt_tasks(measures, table, arm, resampled=True)


def _of_runs(rows: pd.DataFrame, estimate: OfRun) -> dict[str, list[Estimate]]:
    """The estimates of every task's seeds; of a seed without such heads there is none."""
    found: dict[str, list[Estimate]] = {}
    for (task, _), run in rows.groupby(["task", "seed"], sort=False):
        with suppress(NotMeasured):
            of_run = estimate(run)
            found.setdefault(str(task), []).append(of_run)
    return found


def _decided(
    task: str, arm: Arm, runs: dict[str, list[Estimate]], others: dict[str, list[Estimate]]
) -> Answer:
    """The answer over the seeds that have an estimate.

    Args:
        others: runs of the control.
    """
    if not runs:
        raise NotMeasured(
            "no head of the lower half matches equal terms across the pair, or none above reads it"
        )
    own, control = (
        {name: over_seeds(of_task) for name, of_task in some.items()} for some in (runs, others)
    )
    chosen = decided_by_task(task, own)
    answer = over_tasks(
        {task: own[task]},
        lambda estimates: estimates[0],
        control,
        uncontrolled=NOT_TUNED_FROM_RANDOM,
    )
    seeds = None if arm == UNTUNED else len(runs[task])
    return replace(answer, tasks=own, decided_on=chosen.decided_on, arm=arm, seeds=seeds)


def _row(
    rows: pd.DataFrame, column: str, name: str, names: tuple[str, str, str], count: str
) -> Estimate:
    """The estimate of the one row with this name in a column."""
    found = rows[rows[column] == name].to_dict("records")
    if not found:
        raise NotMeasured(f"nothing was measured of {name}")
    (row,) = found
    return Estimate.of_row(row, names, int(row[count]))


def _group(run: pd.DataFrame, group: str, figure: str) -> Estimate:
    return _row(run[run["figure"] == figure], "group", group, VALUE, "count")


def _change(run: pd.DataFrame, group: str, figure: str) -> Estimate:
    """After tuning less before, on the same heads and examples."""
    after = run[run["arm"] == run["heads_of"]]
    before = run[run["arm"] != run["heads_of"]]
    return difference_of(_group(after, group, figure), _group(before, group, figure))
