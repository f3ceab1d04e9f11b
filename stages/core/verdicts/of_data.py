"""The one join of claims: learnt data, seeds, the control, and several data sets as one."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd

from stages.core.stage.arms import (
    RANDOM_WEIGHTS,
    RECORDED,
    TUNED,
    TUNED_FROM_RANDOM,
    UNTUNED,
    WITH_TUNING,
    Arm,
)
from stages.core.tables import Selection, Table
from stages.core.verdicts.answers import (
    Answer,
    Bounds,
    NotMeasured,
    against_control,
    decided_by_task,
    over_tasks,
)
from stages.core.verdicts.estimates import Combination, Estimate, over_seeds
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures

# The arm that a claim is about, and the arm that is its control.
CONTROLS: dict[str, Arm] = {UNTUNED: RANDOM_WEIGHTS, TUNED: TUNED_FROM_RANDOM}
STUDIED = (TUNED, UNTUNED, RECORDED)
NO_CONTROL = {
    RECORDED: "the attention was recorded elsewhere, without random weights",
    UNTUNED: "no random weights were measured",
    TUNED: "the encoder tuned from random weights has learnt no task that has the measure",
}

Rows = Table | Selection | pd.DataFrame
OfRun = Callable[[pd.DataFrame], Estimate]


@dataclass(frozen=True)
class OfArm:
    """The estimates of one arm.

    Attributes:
        estimates: of each data set, over its seeds.
        seeds: of each data set the number of fine-tunings; 0 where none is tuned.
    """

    estimates: dict[str, Estimate]
    seeds: dict[str, int]


def of_arm(
    measures: Measures, rows: Rows, estimate: OfRun, arm: str, *, learnt: bool = True
) -> OfArm:
    """The estimate of each data set in one arm, joined over seeds.

    Args:
        rows: a declared table, a selection of its rows, or these rows with their resamples.
        estimate: gets the rows of one data set, arm and seed. It raises `NotMeasured` if they lack
            the measure; this fine-tuning is then left out.
        learnt: leave out tasks that a tuned arm has not learnt.

    Raises:
        NotMeasured: no data set has the measure.
    """
    table = rows if isinstance(rows, pd.DataFrame) else measures.rows(rows, drawn=True)
    table = table[table["arm"] == arm]
    if learnt and arm in WITH_TUNING:
        table = table[~table["data"].isin(not_learnt(measures, arm))]
        if table.empty:
            raise NotMeasured(f"on no task is the encoder ({arm}) better than the majority class")
    estimates, seeds = {}, {}
    lacking = NotMeasured(f"no row is of the arm {arm}")
    for data, of_data in table.groupby("data", sort=False):
        runs = [of_data]
        if "seed" in of_data:
            runs = [run for _, run in of_data.groupby("seed", sort=False)]
        of_seeds = []
        for run in runs:
            try:
                of_seeds.append(estimate(run))
            except NotMeasured as error:
                lacking = error
        if of_seeds:
            estimates[str(data)] = over_seeds(of_seeds)
            seeds[str(data)] = len(of_seeds) if arm in WITH_TUNING and "seed" in of_data else 0
    if not estimates:
        raise lacking
    return OfArm(estimates, seeds)


def of_data(
    measures: Measures,
    rows: Rows,
    estimate: OfRun,
    *,
    decide: Combination | str | None = None,
    arm: str | None = None,
    control: str | None = None,
    control_has_learnt: bool = True,
    of_some: bool = False,
    counted: str = "examples",
    bounds: Bounds = "interval",
    uncontrolled: str = "",
) -> Answer:
    """The answer of a claim: the estimate of every data set, of those that decide, and its control.

    Args:
        rows: as of `of_arm`; rows of all arms.
        estimate: as of `of_arm`.
        decide: how the estimates of all data sets become one (`smallest`, `largest`, `mean_of`); or
            the name of the data set that decides; None: the first one.
        arm: whose estimate decides; None: the first of `STUDIED` that the rows are of.
        control: the arm beside it; None: that of `CONTROLS`.
        control_has_learnt: whether tasks count only if the control has learnt them.
        of_some: whether the claim is about some data set and not about every one (`over_tasks`).
        counted: what the `n` of the estimates counts.
        uncontrolled: why there is no control, if there can be none: then none is looked for.

    Raises:
        NotMeasured: no data set has the measure, or the one that decides lacks it.
    """
    table = rows if isinstance(rows, pd.DataFrame) else measures.rows(rows, drawn=True)
    arm = arm or next((one for one in STUDIED if (table["arm"] == one).any()), None)
    if arm is None:
        raise NotMeasured("only random weights were measured")
    studied = of_arm(measures, table, estimate, arm)
    if arm == UNTUNED and (table["arm"] == RECORDED).any():
        recorded = of_arm(measures, table, estimate, RECORDED).estimates
        order = [str(name) for name in table["data"].unique()]
        joint = studied.estimates | recorded
        studied = replace(studied, estimates={name: joint[name] for name in order if name in joint})
    answer = _combined(studied.estimates, decide, counted)
    decisive = answer.decided_on.split(", ") if answer.decided_on else list(studied.estimates)
    if arm == UNTUNED and (table[table["data"] == decisive[0]]["arm"] == RECORDED).any():
        arm = RECORDED
    beside: dict[str, Estimate] = {}
    control = control or CONTROLS.get(arm)
    reason = uncontrolled or NO_CONTROL.get(arm, "")
    if control and not uncontrolled:
        try:
            beside = of_arm(measures, table, estimate, control, learnt=control_has_learnt).estimates
        except NotMeasured as error:
            if (table["arm"] == control).any():
                reason = f"{control.replace('_', ' ')}: {error}"
    if callable(decide):
        answer = over_tasks(studied.estimates, decide, beside, counted, reason, of_some)
    else:
        answer = against_control(answer, beside.get(decisive[0]), reason)
    seeds = min(studied.seeds[name] for name in decisive) if arm in WITH_TUNING else None
    return replace(answer, arm=arm, seeds=seeds or None, bounds=bounds)


def _combined(
    estimates: dict[str, Estimate], decide: Combination | str | None, counted: str
) -> Answer:
    if callable(decide):
        return Answer(decide(list(estimates.values())), estimates, counted)
    return decided_by_task(decide or next(iter(estimates)), estimates, counted)


def studied_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of arms that are no control; all rows if there are no others."""
    if "arm" not in rows:
        return rows
    studied = rows[~rows["arm"].isin(CONTROLS.values())]
    return studied if len(studied) else rows


def value_of_row(column: str, counted: str, scale: float = 1) -> OfRun:
    """An estimate for `of_data`: the value of the only row of each data set, arm and seed.

    Args:
        counted: the column with the number of cases.
        scale: 100 makes points of a share.
    """

    def estimate(rows: pd.DataFrame) -> Estimate:
        (row,) = rows.to_dict("records")
        return Estimate.of_value(row, column, int(row[counted])).scaled(scale)

    return estimate
