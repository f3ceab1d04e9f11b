"""The sentences at the top of the page of readers, and what its findings share with them."""

import pandas as pd

from stages.core.questions.unanswerable import NAMES as TRAININGS
from stages.core.stage.arms import TUNED_FROM_RANDOM
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import Measures
from stages.reading.attacks import CONTROLS
from stages.reading.in_points import estimates_over_sets, of_tuned
from stages.reading.learnt import not_learnt
from stages.reading.over_sets import OfRun, baselines_of, cost, over_baseline
from stages.reading.said import said_of_costliest, said_of_intact, said_of_unanswerable
from stages.reading.shown_heads import said_of_chosen_heads
from stages.reading.tables import GUESS, LONGEST, SCORES


def in_short(measures: Measures) -> list[str]:
    """Of the first set: whether it was learnt, what attacks cost, and what teaches to answer it."""
    scores = measures.drawn(SCORES)
    tuned = of_tuned(scores)
    if tuned.empty:
        return []
    first = str(tuned["questions"].iloc[0])
    own = scores[scores["questions"] == first]
    said = said_of_every_intact(measures, own)
    if first not in not_learnt(measures):
        costs = estimates_over_sets(of_tuned(own), {attack: cost(attack) for attack in CONTROLS})
        said.append(said_of_costliest(first, costs.get(first, {})))
    trainings = over_baselines_of_trainings(measures, own)
    if trainings:
        over = {name: of[first] for name, of in trainings.items()}
        said.append(said_of_unanswerable(first, over))
    else:
        said += said_of_chosen_heads(measures).get(first, [])[:1]
    return [sentence for sentence in said if sentence]


def said_of_every_intact(measures: Measures, scores: pd.DataFrame) -> list[str]:
    """Of every set, where its reader stands without attack, beside the one from random weights."""
    over = _over_baselines(measures)
    control = estimates_over_sets(scores[scores["reader"] == TUNED_FROM_RANDOM], over)
    found = estimates_over_sets(of_tuned(scores), over)
    return [said_of_intact(name, own, control.get(name)) for name, own in found.items()]


def over_baselines_of_trainings(
    measures: Measures, scores: pd.DataFrame
) -> dict[str, dict[str, dict[str, Estimate]]]:
    """Of each training on questions that nobody can answer, by set and baseline, how far above."""
    over = _over_baselines(measures)
    return {
        name: estimates_over_sets(scores[scores["reader"] == name], over)
        for name in TRAININGS
        if (scores["reader"] == name).any()
    }


def _over_baselines(measures: Measures) -> dict[str, OfRun]:
    baselines = baselines_of(measures)
    return {model: over_baseline(baselines, model) for model in (GUESS, LONGEST)}
