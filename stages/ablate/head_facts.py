"""What a head's page shows of the effect of ablating it, and of the same place in the control."""

import pandas as pd

from stages.core.outcomes.deciding import deciding
from stages.core.outcomes.tables import GATES
from stages.core.pages.head_facts import HeadFacts, runs_in_words
from stages.core.pages.said import ABOVE, BELOW, counted, extreme, listed, measured, of_all, sides
from stages.core.pages.shared_figures import POINTS, effects
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, Arm
from stages.core.verdicts.measures import Measures, of_arm

KEYS = ["task", "mode", "layer", "head"]


def rows(measures: Measures) -> pd.DataFrame:
    """One row a task, mode and head, over fine-tunings."""
    return effects_of_heads(measures, TUNED)


def control_rows(measures: Measures) -> pd.DataFrame:
    """As `rows`, of the encoder that was tuned from random weights."""
    return effects_of_heads(measures, TUNED_FROM_RANDOM).drop(columns="each fine-tuning")


def effects_of_heads(measures: Measures, arm: Arm) -> pd.DataFrame:
    """Effects of single heads in points with their interval, and those of each fine-tuning."""
    gates = effects(measures, arm)
    single = gates[gates["family"] == "head"]
    runs = deciding(of_arm(measures.frame(GATES), arm))
    runs = runs[runs["family"] == "head"].assign(points=POINTS * runs["effect"])
    each = runs.groupby(KEYS)["points"].agg(runs_in_words).rename("each fine-tuning")
    shown = single.join(each, on=KEYS)
    columns = {
        "layer": "layer",
        "head": "head",
        "task": "task",
        "mode": "off as",
        "effect_points": "effect, points",
        "low_points": "low",
        "high_points": "high",
        "p_holm": "p (Holm)",
        "each fine-tuning": "each fine-tuning",
        "examples": "examples",
    }
    return shown[list(columns)].astype({"layer": int, "head": int}).rename(columns=columns)


def said(rows: pd.DataFrame) -> str:
    """In how many cases its loss is shown to help or to hurt, and where most.

    Where several changes read the same, all of them are named.
    """
    found, parts = sides(rows), []
    for where, word in ((BELOW, "falls"), (ABOVE, "rises")):
        own = rows[found == where]
        if len(own):
            most = "most on " if len(own) > 1 else ""
            cases = of_all(len(own), len(rows), "case")
            parts.append(f"{word} in {cases} ({most}{listed(_farthest(own))})")
    if not parts:
        cases = "the only case" if len(rows) == 1 else f"any of {counted(len(rows), 'case')}"
        parts = [f"is not shown to change in {cases}"]
    return f"Without it the score {listed(parts)}; a case is a task and a way to turn the head off."


def _farthest(rows: pd.DataFrame) -> list[str]:
    """The cases of the largest change, each with its interval."""
    names, _ = extreme(rows["effect, points"].abs(), ".1f")
    columns = ["task", "off as", "effect, points", "low", "high"]
    return [
        f"{task}, {mode}: {measured(effect, low, high, '+.1f', 'points')}"
        for task, mode, effect, low, high in rows.loc[names, columns].to_numpy().tolist()
    ]


FACTS = (
    HeadFacts(
        "ablate",
        3,
        "What changes without it",
        "Change of accuracy, or of the correlation of scores, with this head alone off, with its "
        "95% interval (paired over examples, and over fine-tunings where there are several). Below "
        "0 the task gets worse without it.",
        rows,
        said,
    ),
    HeadFacts(
        "control",
        11,
        "The same place in an encoder that began at random",
        "A control: the head at this layer and number has nothing else in common with this one.",
        control_rows,
    ),
)
