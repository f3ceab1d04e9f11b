"""Heads that link predicates and frame elements (Kovaleva et al. 2019, sections 4.2 and 4.6)."""

import pandas as pd

from stages.core.intervals.held_out import SCORE
from stages.core.outcomes.tables import GATES
from stages.core.stage.arms import UNTUNED
from stages.core.verdicts.answers import Answer, by_corpus, row_by_corpus
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, count_above, smallest
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, NotMeasured, of_first_corpus, studied
from stages.frames.tables import BEST, HEADS

POINTS = 100


@measure
def frame_link(measures: Measures, settings: Settings) -> Answer:
    """What the best head gives to linked tokens beyond tokens as far apart, held out."""
    rows = studied(measures.frame(BEST))
    return row_by_corpus(rows, (*SCORE, "cases"), "texts")


@measure
def frame_heads(measures: Measures, settings: Settings, weight: float) -> Answer:
    """Heads whose mean weight on linked tokens is above a bound, after Holm's correction."""
    rows = studied(measures.frame(HEADS))
    return by_corpus(rows, lambda heads: count_above(heads, "weight", weight), "heads")


@measure
def frame_heads_off(measures: Measures, settings: Settings, heads: int) -> Answer:
    """The effect of turning off one of the heads with the largest weights: of the worst of them.

    It is the effect on the task where it is worst.
    """
    own = of_first_corpus(measures.frame(HEADS)).nlargest(heads, "weight")
    places = set(zip(own["layer"], own["head"], strict=True))
    rows = of_learnt_tasks(measures, GATES)
    rows = rows[(rows["family"] == "head") & (rows["mode"] == "uniform")]
    chosen = rows[[place in places for place in zip(rows["layer"], rows["head"], strict=True)]]
    if chosen.empty or own["encoder"].iloc[0] != UNTUNED:
        raise NotMeasured("no task was run with these heads off")
    tasks = {
        str(task): smallest([_effect(gate) for _, gate in gates.iterrows()])
        for task, gates in chosen.groupby("task", sort=False)
    }
    return Answer(smallest(list(tasks.values())), tasks)


def _effect(gate: pd.Series) -> Estimate:
    effect = Estimate(gate["effect"], gate["low"], gate["high"], int(gate["examples"]))
    return effect.scaled(POINTS)
