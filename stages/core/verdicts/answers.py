"""Answers of measures: the estimate that decides a claim, its control, and all others beside it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED
from stages.core.verdicts.estimates import (
    Combination,
    Estimate,
    difference_of,
    largest,
    smallest,
)

Bounds = Literal["interval", "range"]
# Which of several values is that of the task that decides.
DECIDING = {smallest: np.argmin, largest: np.argmax}


class NotMeasured(LookupError):
    """This configuration has no such measure: the claim or page that needs it is left out."""


def some_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table that a claim or page cannot do without.

    Raises:
        NotMeasured: there is none.
    """
    if rows.empty:
        raise NotMeasured("these data give the table that it needs no row")
    return rows


@dataclass(frozen=True)
class Answer:
    """The answer of a measure: the estimate on which the verdict rests, and one for each task.

    Attributes:
        pooled: the estimate on which the verdict rests.
        tasks: of every task or corpus.
        counted: what the `n` of the estimates counts.
        decided_on: which task or corpus alone decides, where not all of `tasks`.
        control: the same of random weights.
        beyond: `pooled` less `control`, paired.
        controlled: of which tasks alone there is a control, where not of all of `tasks`.
        uncontrolled: why there is no control.
        seeds: how many fine-tunings the estimate is of; None where none is tuned.
        arm: whose attention, or whose predictions, it is of.
        bounds: what `low` and `high` of `pooled` are: a confidence interval or, of a count, the
            range from what is shown to be so to what is not shown not to be.
    """

    pooled: Estimate
    tasks: dict[str, Estimate]
    counted: str = "examples"
    decided_on: str = ""
    control: Estimate | None = None
    beyond: Estimate | None = None
    controlled: tuple[str, ...] = ()
    uncontrolled: str = ""
    seeds: int | None = None
    arm: str = ""
    bounds: Bounds = "interval"


def against_control(answer: Answer, control: Estimate | None, uncontrolled: str = "") -> Answer:
    """The answer with that of random weights beside it, and the paired difference of both.

    Args:
        uncontrolled: why there is no control, where it is None.
    """
    if control is None:
        return replace(answer, uncontrolled=uncontrolled or "no random weights were measured")
    return replace(answer, control=control, beyond=difference_of(answer.pooled, control))


def by_corpus(
    rows: pd.DataFrame,
    estimate: Callable[[pd.DataFrame], Estimate],
    counted: str,
    bounds: Bounds = "interval",
) -> Answer:
    """The estimate of every corpus that has the measure; the first of them decides.

    Args:
        rows: of the encoder and of random weights, as the column `encoder` says.
        estimate: is called on the rows of one corpus and one encoder; of random weights it is the
            control.

    Raises:
        NotMeasured: none has it.
    """
    found: dict[str, Estimate] = {}
    lacking = NotMeasured("no corpus has the measure")
    own = rows[rows["encoder"] != RANDOM_WEIGHTS]
    for corpus, of_corpus in own.groupby("corpus", sort=False):
        try:
            found[str(corpus)] = estimate(of_corpus)
        except NotMeasured as error:
            lacking = error
    if not found:
        raise lacking
    name = next(iter(found))
    encoder = str(own[own["corpus"] == name]["encoder"].iloc[0])
    answer = Answer(found[name], found, counted, name, arm=encoder, bounds=bounds)
    if encoder == RECORDED:
        return against_control(
            answer, None, "the attention was recorded elsewhere, without random weights"
        )
    others = rows[(rows["corpus"] == name) & (rows["encoder"] == RANDOM_WEIGHTS)]
    if others.empty:
        return against_control(answer, None)
    try:
        return against_control(answer, estimate(others))
    except NotMeasured as error:
        return against_control(answer, None, f"random weights: {error}")


def row_by_corpus(
    rows: pd.DataFrame, columns: tuple[str, str, str, str], counted: str, factor: float = 1
) -> Answer:
    """As `by_corpus`, of one row a corpus.

    Args:
        columns: of the value, its limits, and the number of cases.
        factor: of value and limits.
    """

    def estimate(own: pd.DataFrame) -> Estimate:
        (row,) = own.to_dict("records")
        return Estimate.of_row(row, columns[:3], int(row[columns[3]])).scaled(factor)

    return by_corpus(rows, estimate, counted)


def decided_by_task(task: str, estimates: dict[str, Estimate], counted: str = "examples") -> Answer:
    """The estimate of the task that the study is about; no other task stands in for it.

    Raises:
        NotMeasured: the task is not run, or has no such measure.
    """
    if task not in estimates:
        raise NotMeasured(f"the claim is about the task {task}, which is not run or was not learnt")
    return Answer(estimates[task], estimates, counted, task)


def over_tasks(
    own: dict[str, Estimate],
    combine: Combination,
    control: dict[str, Estimate] | None = None,
    counted: str = "examples",
    uncontrolled: str = "",
    of_some: bool = False,
) -> Answer:
    """The estimates of all tasks as one, beside those of random weights.

    Args:
        combine: `smallest` and `largest` for what is said of every or of some task, `mean_of` for a
            mean; the differences to the control are combined alike.
        control: the same of random weights; a task that lacks it (where random weights have not
            learnt) is no case of the difference.
        of_some: whether the claim is about some task and not about every one. It must then be true
            and beyond the control on one and the same task, the one that decides; where that one
            lacks a control, so does the claim.

    Raises:
        NotMeasured: there is no task.
    """
    if not own:
        raise NotMeasured("no task has the measure")
    answer = Answer(combine(list(own.values())), own, counted)
    shared = [task for task in own if task in (control or {})]
    if not shared:
        return replace(answer, uncontrolled=uncontrolled or "random weights have learnt no task")
    differences = [difference_of(own[task], control[task]) for task in shared]
    controlled = () if len(shared) == len(own) else tuple(shared)
    if not of_some:
        found = combine([control[task] for task in shared])
        beyond = combine(differences)
        return replace(answer, control=found, beyond=beyond, controlled=controlled)
    decides = list(own)[int(DECIDING[combine]([estimate.value for estimate in own.values()]))]
    if decides not in shared:
        return replace(
            answer, uncontrolled=f"random weights have not learnt {decides}, which decides"
        )
    return replace(
        answer,
        control=control[decides],
        beyond=combine(differences, shared.index(decides)),
        controlled=controlled,
    )
