"""What readers of multiple-choice questions go by (Si et al. 2019), in points.

What is said of every set of questions is decided on the one where it is least true. Differences are
of the same questions, in the same resamples of their passages. What a reader does under attack is
asked where it has learnt to answer, that is where it is above the longest option.
"""

from dataclasses import replace
from typing import Literal

import pandas as pd

from stages.core.questions.unanswerable import NAMES
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, NotMeasured, over_tasks
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of, smallest
from stages.core.verdicts.learnt import says_not_learnt
from stages.core.verdicts.measures import Measures
from stages.reading.attacks import CONTROLS, TO_PASSAGE
from stages.reading.in_points import POINTS
from stages.reading.learnt import not_learnt
from stages.reading.over_sets import (
    COUNTED,
    VALUE,
    OfRun,
    Runs,
    accuracy,
    answer_over,
    apart,
    baselines_of,
    cost,
    cost_beyond,
    of_learnt_sets,
    of_runs,
    over_baseline,
)
from stages.reading.tables import (
    CHOICES,
    CLS,
    END,
    GUESS,
    INTACT,
    LONGEST,
    SCORES,
)

TRAININGS = "trainings of one encoder are compared with each other, or with what takes no reading"


says_not_learnt(not_learnt)


@measure
def reader_over_baseline(measures: Measures, settings: Settings, model: str) -> Answer:
    """Accuracy on intact questions beyond a baseline, on the set where it is smallest.

    Args:
        model: `random guess` or `longest option`.
    """
    rows, over = measures.drawn(SCORES), over_baseline(baselines_of(measures), model)
    own, control = (
        of_runs(rows[rows["reader"] == reader], in_points(over))
        for reader in (TUNED, TUNED_FROM_RANDOM)
    )
    return answer_over(own, control, "no reader was tuned from random weights")


@measure
def reader_over_options_alone(measures: Measures, settings: Settings) -> Answer:
    """Accuracy on intact questions beyond that on the options alone, on the set of least."""

    def over(run: pd.DataFrame) -> Estimate:
        return difference_of(accuracy(run), accuracy(run, "PQ-Remove"))

    return of_learnt_sets(measures, measures.drawn(SCORES), in_points(over))


@measure
def cost_of_attack(measures: Measures, settings: Settings, attack: str) -> Answer:
    """What an attack costs, on the set where that is least.

    Accuracy on intact questions at the same cut of the passage, less that on attacked ones.
    """

    return of_learnt_sets(measures, measures.drawn(SCORES), in_points(cost(attack)))


@measure
def cost_beyond_controls(measures: Measures, settings: Settings, attack: str) -> Answer:
    """What an attack costs more than a control, on the set and against the control of least.

    Questions in which a wrong option reads as the right one, under the attack or that control, are
    left out: whoever takes it there is not wrong.
    """
    if not CONTROLS[attack]:
        raise NotMeasured(f"{attack} has no control")

    costs = {control: in_points(cost_beyond(attack, control)) for control in CONTROLS[attack]}
    return of_learnt_sets(measures, measures.drawn(SCORES), costs)


@measure
def attacked_against_chance(measures: Measures, settings: Settings, attack: str) -> Answer:
    """Accuracy under an attack less that of a guess, on the set where it is smallest."""
    over = over_baseline(baselines_of(measures), GUESS, attack, attack)
    return of_learnt_sets(measures, measures.drawn(SCORES), in_points(over), of_some=True)


@measure
def unanswerable_over_baselines(measures: Measures, settings: Settings) -> Answer:
    """Accuracy on intact questions of readers that were trained on questions nobody can answer.

    Beyond a baseline; of the training, the baseline and the set of least.

    Raises:
        NotMeasured: a training is missing.
    """
    rows, baselines = measures.drawn(SCORES), baselines_of(measures)
    found: Runs = {}
    for name in NAMES:
        beyond = {
            f"{name} over {model}": in_points(over_baseline(baselines, model))
            for model in (GUESS, LONGEST)
        }
        of_training = of_runs(rows[rows["reader"] == name], beyond)
        if not of_training:
            raise NotMeasured(f"no reader was trained with {name}")
        found |= of_training
    return answer_over(found, {}, TRAININGS)


@measure
def training_over_training(
    measures: Measures, settings: Settings, reader: str, beside: str, of_some: bool = False
) -> Answer:
    """Accuracy on intact questions of one reader less that of another, on the set of least.

    Of both over their seeds, which are drawn apart, and of which one may have more.

    Args:
        reader: on what it was trained: `tuned`, or a name of `stages.core.questions.unanswerable`.
        beside: likewise.
        of_some: whether the claim is about some set of questions, and not about every one.
    """
    rows = measures.drawn(SCORES)
    runs = [of_runs(rows[rows["reader"] == name], accuracy) for name in (reader, beside)]
    left_out = not_learnt(measures) if TUNED in (reader, beside) else []
    shared = [place for place in runs[0] if place in runs[1] and place[0] not in left_out]
    if not shared:
        raise NotMeasured(f"on no questions did readers learn from both {reader} and {beside}")
    found = {
        place[0]: apart(*(of_reader[place] for of_reader in runs)).scaled(POINTS)
        for place in shared
    }
    answer = over_tasks(found, smallest, None, COUNTED, TRAININGS, of_some)
    seeds = min(len(of_reader[place]) for of_reader in runs for place in shared)
    return replace(answer, arm=TUNED, seeds=seeds)


@measure
def head_of_attack(
    measures: Measures,
    settings: Settings,
    attack: str,
    change: Literal["effect", "attacked"],
    outcome: Literal["accuracy", "probability"],
) -> Answer:
    """What the head through which an attack goes changes when it is off, on the set of least.

    The head is chosen on half of the passages and asked on the other half.

    Args:
        change: of the `effect` of the attack, or of the outcome on `attacked` questions.
        outcome: accuracy, or probability of the right option.
    """
    rows = measures.drawn(CHOICES)
    for column, value in (("attack", attack), ("change", change), ("outcome", outcome)):
        rows = rows[rows[column] == value]

    def of_head(run: pd.DataFrame) -> Estimate:
        (row,) = run.to_dict("records")
        return Estimate.of_row(row, VALUE, int(row["cases"])).scaled(POINTS)

    return of_learnt_sets(measures, rows, of_head)


@measure
def attention_to_appended(
    measures: Measures, settings: Settings, beside: Literal["tokens", "intact"]
) -> Answer:
    """What [CLS] gives to appended words beyond their number, in points, on the set of least.

    Their share of the attention to words less their share of the words, mean over all heads.

    Args:
        beside: `tokens` alone; `intact` takes off the same of as many words at the end of the
            intact passage.
    """
    rows = measures.drawn(CLS)

    def beyond(run: pd.DataFrame) -> Estimate:
        own, other = (
            Estimate.of_row(row, interval_names("beyond"), int(row["examples"])).scaled(POINTS)
            for name in (TO_PASSAGE, INTACT)
            for row in run[run["condition"] == name].to_dict("records")
        )
        return own if beside == "tokens" else difference_of(own, other)

    return of_learnt_sets(measures, rows[rows["part"] == END], beyond, control_has_learnt=False)


def in_points(estimate: OfRun) -> OfRun:
    """An estimate of shares, in points."""
    return lambda run: estimate(run).scaled(POINTS)
