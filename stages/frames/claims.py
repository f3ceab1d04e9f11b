"""Heads that link predicates and frame elements (Kovaleva et al. 2019, sections 4.2 and 4.6)."""

from dataclasses import replace

import pandas as pd

from stages.core.stage.arms import TUNED, UNTUNED
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.chosen_heads import ablated_heads
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, count_above, over_seeds, smallest
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_data, value_of_row
from stages.frames.tables import BEST, HEADS

POINTS = 100


@measure
def frame_link(measures: Measures, settings: Settings) -> Answer:
    """What the best head gives to linked tokens beyond tokens as far apart, held out."""
    return of_data(measures, BEST, value_of_row("score", "cases"), counted="texts")


@measure
def frame_heads(measures: Measures, settings: Settings, weight: float) -> Answer:
    """Heads whose mean weight on linked tokens is above a bound, after Holm's correction."""

    def count(heads: pd.DataFrame) -> Estimate:
        return replace(count_above(heads, "weight", weight), n=int(heads["texts"].iloc[0]))

    return of_data(measures, HEADS, count, counted="texts", bounds="range")


@measure
def frame_heads_off(measures: Measures, settings: Settings, heads: int) -> Answer:
    """The effect of turning off one of the heads with the largest weights: of the worst of them.

    It is the effect on the task where it is worst, each head's mean over the task's fine-tunings.
    """
    linking = measures.rows(HEADS.where(arm=UNTUNED))
    linking = linking[linking["data"] == linking["data"].iloc[0]].nlargest(heads, "weight")
    places = set(zip(linking["layer"], linking["head"], strict=True))
    rows = ablated_heads(measures)
    chosen = rows[[place in places for place in zip(rows["layer"], rows["head"], strict=True)]]
    if chosen.empty:
        raise NotMeasured("no task was run with these heads off")
    tasks = {str(task): _worst_head(gates) for task, gates in chosen.groupby("data", sort=False)}
    return Answer(
        smallest(list(tasks.values())),
        tasks,
        uncontrolled="the heads were chosen by what this encoder links; random weights have no "
        "such heads to turn off",
        seeds=int(chosen.groupby("data")["seed"].nunique().min()),
        arm=TUNED,
    )


def _worst_head(gates: pd.DataFrame) -> Estimate:
    """The smallest effect of single heads on one task; all of them are of the same examples."""
    heads = [
        over_seeds([_effect(gate) for gate in runs.to_dict("records")])
        for _, runs in gates.groupby(["layer", "head"])
    ]
    return replace(smallest(heads), n=max(head.n for head in heads))


def _effect(gate: dict) -> Estimate:
    return Estimate.of_value(gate, "effect", int(gate["examples"])).scaled(POINTS)
