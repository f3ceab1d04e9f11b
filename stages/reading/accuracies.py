"""Accuracies of a reader on a set of questions, and the sets that a reader has learnt."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import product

import pandas as pd

from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.tables import estimate_columns
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import OfRun, Rows, of_arm
from stages.reading.tables import ALL, BASELINES, GUESS, INTACT, LONGEST, SCORES, WHOLE

POINTS = 100


def as_points(estimate: OfRun) -> OfRun:
    """An estimate of shares, in points."""
    return lambda run: estimate(run).scaled(POINTS)


def accuracy_under(
    run: pd.DataFrame, condition: str = INTACT, at: str = WHOLE, among: str = ALL
) -> Estimate:
    """The accuracy of one reader on one set under a condition.

    Raises:
        NotMeasured: the reader did not answer these questions.
    """
    rows = SCORES.where(condition=condition, at=at, among=among).of(run).to_dict("records")
    if not rows:
        raise NotMeasured(f"no reader answered questions under the condition {condition}")
    (row,) = rows
    return Estimate.of_value(row, "accuracy", int(row["examples"]))


def attack_cost(attack: str) -> OfRun:
    """Accuracy on intact questions at the attack's cut of the passage, minus that under attack."""
    return lambda run: difference_of(
        accuracy_under(run, INTACT, attack), accuracy_under(run, attack, attack)
    )


def cost_over_control(attack: str, control: str) -> OfRun:
    """The cost of an attack minus that of its control.

    Questions in which a wrong option reads as the right one are left out.
    """
    return lambda run: difference_of(
        accuracy_under(run, control, attack, control), accuracy_under(run, attack, attack, control)
    )


def over_baseline(
    measures: Measures, model: str, condition: str = INTACT, at: str = WHOLE
) -> OfRun:
    """The accuracy under a condition minus that of a baseline."""
    rows = measures.rows(BASELINES.where(model=model), drawn=True).to_dict("records")
    baselines = {
        row["data"]: Estimate.of_value(row, "accuracy", int(row["examples"])) for row in rows
    }
    return lambda run: difference_of(
        accuracy_under(run, condition, at), baselines[run["data"].iloc[0]]
    )


def unlearnt_sets(measures: Measures, reader: str = TUNED) -> list[str]:
    """Sets on which a reader is not above both baselines, on intact questions and mean over seeds.

    No attack can mislead this reader, and no head changes what it does with the passage.
    """
    rows = measures.rows(SCORES.where(arm=reader, condition=INTACT, at=WHOLE, among=ALL))
    accuracies = rows.groupby("data", sort=False)["accuracy"].mean()
    baselines = measures.rows(BASELINES).groupby("data")["accuracy"].max()
    return [str(data) for data, value in accuracies.items() if value <= baselines[data]]


def of_learnt(measures: Measures, rows: Rows, control_has_learnt: bool = True) -> pd.DataFrame:
    """The rows of readers of answerable questions on the sets that each of them has learnt.

    Args:
        rows: a declared table or a selection of its rows.
        control_has_learnt: whether this limits the reader tuned from random weights as well.

    Raises:
        NotMeasured: the tuned reader has learnt no set.
    """
    table = measures.rows(rows, drawn=True)
    readers = (TUNED, TUNED_FROM_RANDOM) if control_has_learnt else (TUNED,)
    for reader in readers:
        if (table["arm"] == reader).any():
            unlearnt = table["data"].isin(unlearnt_sets(measures, reader))
            table = table[(table["arm"] != reader) | ~unlearnt]
    if not (table["arm"] == TUNED).any():
        raise NotMeasured(f"on no questions is the reader ({TUNED}) better than the longest option")
    return table


def estimated(
    measures: Measures, rows: pd.DataFrame, arms: Sequence[str], **estimates: OfRun
) -> pd.DataFrame:
    """One row a set and arm: estimates with intervals by column, in points and over seeds."""
    table: dict[tuple[str, str], dict[str, float]] = {}
    for arm, (column, estimate) in product(arms, estimates.items()):
        with suppress(NotMeasured):
            for data, mean in of_arm(measures, rows, as_points(estimate), arm).estimates.items():
                columns = estimate_columns(column, mean.value, mean.low, mean.high)
                table.setdefault((data, arm), {}).update(columns)
    return pd.DataFrame({"data": data, "arm": arm} | row for (data, arm), row in table.items())


def reader_accuracies(
    measures: Measures, conditions: Mapping[str, str], arms: Sequence[str]
) -> pd.DataFrame:
    """One row a condition, set and reader, in points, with the gain over the longest option.

    Another row of each set is the random guess.
    """
    scores = measures.rows(SCORES, drawn=True)
    rows = pd.concat(
        estimated(
            measures,
            scores,
            arms,
            accuracy=partial(accuracy_under, condition=condition, at=at),
            gain=over_baseline(measures, LONGEST, condition, at),
        ).assign(condition=condition)
        for condition, at in conditions.items()
    )
    if rows.empty:
        raise NotMeasured("no such reader was measured")
    baselines = measures.rows(BASELINES.where(data=list(rows["data"])))
    baselines = POINTS * baselines.pivot(index="data", columns="model", values="accuracy")
    guesses = baselines[GUESS].rename("accuracy").reset_index().assign(arm=GUESS, condition=GUESS)
    rows = pd.concat([rows, guesses], ignore_index=True)
    return rows.assign(longest=rows["data"].map(baselines[LONGEST]))
