"""What readers of multiple-choice questions rely on (Si et al. 2019), in points.

The set of questions with the smallest value decides. Differences are of the same questions, in the
same resamples of their passages. Claims about attacks and heads leave out sets on which a reader is
not above the longest option. The control is the reader tuned from random weights.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from stages.core.questions.unanswerable import NAMES
from stages.core.stage.arms import TUNED
from stages.core.verdicts.answers import Answer, NotMeasured, over_tasks
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import (
    Estimate,
    difference_of,
    mean_on_same_examples,
    over_seeds,
    smallest,
)
from stages.core.verdicts.learnt import says_not_learnt
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import OfRun, of_data, value_of_row
from stages.reading.accuracies import (
    POINTS,
    accuracy_under,
    as_points,
    attack_cost,
    cost_over_control,
    of_learnt,
    over_baseline,
    unlearnt_sets,
)
from stages.reading.attacks import CONTROLS, TO_PASSAGE
from stages.reading.tables import ALL, CHOICES, CLS, END, GUESS, INTACT, LONGEST, SCORES, WHOLE

LEAST = {"decide": smallest, "counted": "questions"}
TRAININGS = "readers of different trainings are compared with each other or with a baseline"

says_not_learnt(unlearnt_sets)


@measure
def reader_over_baseline(measures: Measures, settings: Settings, model: str) -> Answer:
    """Accuracy on intact questions minus that of a baseline.

    Args:
        model: `random guess` or `longest option`.
    """
    return of_data(measures, SCORES, as_points(over_baseline(measures, model)), **LEAST)


@measure
def reader_over_options_alone(measures: Measures, settings: Settings) -> Answer:
    """Accuracy on intact questions minus that on the options alone."""

    def over(run: pd.DataFrame) -> Estimate:
        return difference_of(accuracy_under(run), accuracy_under(run, "PQ-Remove"))

    return of_data(measures, of_learnt(measures, SCORES), as_points(over), **LEAST)


@measure
def cost_of_attack(measures: Measures, settings: Settings, attack: str) -> Answer:
    """Accuracy on intact questions at the attack's cut of the passage, minus that under attack."""
    cost = as_points(attack_cost(attack))
    return of_data(measures, of_learnt(measures, SCORES), cost, **LEAST)


@measure
def cost_beyond_controls(measures: Measures, settings: Settings, attack: str) -> Answer:
    """The cost of an attack minus that of a control; the control with the smallest value decides.

    Questions in which a wrong option reads as the right one, under the attack or that control, are
    left out: both options are right.

    Raises:
        NotMeasured: the attack has no control.
    """
    if not CONTROLS[attack]:
        raise NotMeasured(f"{attack} has no control")
    rows = of_learnt(measures, SCORES)
    costs = {
        control: (rows, as_points(cost_over_control(attack, control)))
        for control in CONTROLS[attack]
    }
    return _of_variants(measures, costs)


@measure
def attacked_against_chance(measures: Measures, settings: Settings, attack: str) -> Answer:
    """Accuracy under an attack minus that of a random guess."""
    over = as_points(over_baseline(measures, GUESS, attack, attack))
    return of_data(measures, of_learnt(measures, SCORES), over, of_some=True, **LEAST)


@measure
def unanswerable_over_baselines(measures: Measures, settings: Settings) -> Answer:
    """Accuracy on intact questions, after training on questions that nobody can answer.

    A baseline's accuracy is subtracted. The training and the baseline with the smallest value
    decide.

    Raises:
        NotMeasured: a training is missing.
    """
    rows = measures.rows(SCORES, drawn=True)
    if missing := [name for name in NAMES if not (rows["arm"] == name).any()]:
        raise NotMeasured(f"no reader was trained with {missing[0]}")
    over = {model: as_points(over_baseline(measures, model)) for model in (GUESS, LONGEST)}
    of_trainings = {
        f"{name} over {model}": (rows[rows["arm"] == name].assign(arm=TUNED), estimate)
        for name in NAMES
        for model, estimate in over.items()
    }
    return _of_variants(measures, of_trainings, TRAININGS)


def _of_variants(
    measures: Measures, variants: Mapping[str, tuple[pd.DataFrame, OfRun]], uncontrolled: str = ""
) -> Answer:
    """The smallest of several estimates of every set; `tasks` has the smallest of each set.

    Args:
        variants: rows and the estimate, by a name.
    """
    rows = pd.concat(
        rows.assign(set=rows["data"], variant=name, data=rows["data"] + f", {name}")
        for name, (rows, _) in variants.items()
    )

    def estimate(run: pd.DataFrame) -> Estimate:
        _, of_variant = variants[run["variant"].iloc[0]]
        return of_variant(run.assign(data=run["set"]))

    answer = of_data(measures, rows, estimate, uncontrolled=uncontrolled, **LEAST)
    sets = dict(zip(rows["data"], rows["set"], strict=True))
    tasks: dict[str, Estimate] = {}
    for name, of_set in answer.tasks.items():
        if sets[name] not in tasks or of_set.value < tasks[sets[name]].value:
            tasks[sets[name]] = of_set
    # The variants of a set are about the same questions.
    questions = sum(of_set.n for of_set in tasks.values())
    return replace(answer, pooled=replace(answer.pooled, n=questions), tasks=tasks)


@measure
def training_over_training(
    measures: Measures, settings: Settings, reader: str, beside: str, of_some: bool = False
) -> Answer:
    """Accuracy on intact questions of one reader minus that of another.

    Args:
        reader: its training: `tuned`, or a name of `stages.core.questions.unanswerable`.
        beside: the training of the other reader.
        of_some: whether the claim is about some set of questions, and not about every one.
    """
    rows = measures.rows(SCORES.where(condition=INTACT, at=WHOLE, among=ALL), drawn=True)
    if TUNED in (reader, beside):
        rows = rows[~rows["data"].isin(unlearnt_sets(measures))]
    pairs = []
    for data, of_set in rows.groupby("data", sort=False):
        runs = [of_set[of_set["arm"] == arm] for arm in (reader, beside)]
        pair = [[accuracy_under(run) for _, run in each.groupby("seed")] for each in runs]
        if all(pair):
            pairs.append((str(data), pair))
    if not pairs:
        raise NotMeasured(f"on no questions did readers learn from both {reader} and {beside}")
    differences = {data: difference_of_trainings(*pair).scaled(POINTS) for data, pair in pairs}
    answer = over_tasks(differences, smallest, None, LEAST["counted"], TRAININGS, of_some)
    seeds = min(len(each) for _, pair in pairs for each in pair)
    return replace(answer, arm=TUNED, seeds=seeds)


def difference_of_trainings(runs: list[Estimate], others: list[Estimate]) -> Estimate:
    """The mean of some fine-tunings minus that of others, on the same questions.

    The variance between the seeds of either training adds to that of the questions; seeds of two
    trainings are independent.
    """
    same = difference_of(*(mean_on_same_examples(each) for each in (runs, others)))
    half = np.hypot(*(_between_seeds(each) for each in (runs, others)))
    low = same.value - np.hypot(same.value - same.low, half)
    return Estimate(same.value, low, same.value + np.hypot(same.high - same.value, half), same.n)


def _between_seeds(runs: list[Estimate]) -> float:
    """Half of the width of the interval of fine-tunings that their seeds alone give."""
    mean = over_seeds([Estimate(run.value, run.value, run.value, run.n) for run in runs])
    return mean.high - mean.value


@measure
def head_of_attack(
    measures: Measures,
    settings: Settings,
    attack: str,
    change: Literal["effect", "attacked"],
    outcome: Literal["accuracy", "probability"],
) -> Answer:
    """The change if the head through which an attack works is ablated.

    The head is selected on one half of the passages and scored on the other.

    Args:
        change: of the `effect` of the attack, or of the outcome on `attacked` questions.
        outcome: accuracy, or probability of the right option.
    """
    rows = of_learnt(measures, CHOICES.where(attack=attack, change=change, outcome=outcome))
    return of_data(measures, rows, value_of_row("score", "cases", POINTS), **LEAST)


@measure
def attention_to_appended(
    measures: Measures, settings: Settings, beside: Literal["tokens", "intact"]
) -> Answer:
    """The share of appended words in the attention of [CLS] to words, minus their share of words.

    The share is a mean over all heads. The control counts whether or not it has learnt to answer.

    Args:
        beside: `tokens` compares with the words alone; `intact` subtracts the same value of the
            end of the intact passage, which has as many tokens.
    """

    def beyond(run: pd.DataFrame) -> Estimate:
        appended, end = (
            value_of_row("beyond", "examples")(run[run["condition"] == condition])
            for condition in (TO_PASSAGE, INTACT)
        )
        return appended if beside == "tokens" else difference_of(appended, end)

    rows = of_learnt(measures, CLS.where(part=END), control_has_learnt=False)
    return of_data(measures, rows, as_points(beyond), **LEAST)
