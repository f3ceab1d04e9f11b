"""What a head's page shows of the effect of turning it off."""

import pandas as pd

from stages.core.outcomes.deciding import deciding
from stages.core.outcomes.tables import GATES
from stages.core.pages.head_facts import HeadFacts, runs_in_words
from stages.core.pages.said import ABOVE, BELOW, counted, listed, measured, sides
from stages.core.pages.shared_figures import POINTS, effects
from stages.core.stage.tables import MeasuredTable
from stages.core.verdicts.measures import Measures

KEYS = ["task", "mode", "layer", "head"]


def rows(measures: Measures) -> pd.DataFrame:
    """One row a task, mode and head, over fine-tunings."""
    return effects_of_heads(measures, GATES)


def effects_of_heads(measures: Measures, table: MeasuredTable) -> pd.DataFrame:
    """Effects of single heads in points with their interval, and those of each fine-tuning."""
    gates = effects(measures, table)
    single = gates[gates["family"] == "head"]
    runs = deciding(measures.frame(table))
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
    """On how many tasks and modes its loss is shown to help or to hurt, and where most."""
    effect, parts = "effect, points", []
    found = sides(rows)
    for where, word in ((BELOW, "worse"), (ABOVE, "better")):
        own = rows[found == where]
        if len(own):
            row = own.loc[own[effect].abs().idxmax()]
            most = measured(row[effect], row["low"], row["high"], "+.1f", "points")
            place = f"{row['task']} ({row['off as']}), {most}"
            parts.append(f"{word} in {len(own)}, most {place}")
    cases = counted(len(rows), "case", "cases")
    if not parts:
        return f"No effect of it is shown: {cases} of a task and a way to turn it off."
    return f"Without it, of {cases} of a task and a way to turn it off, it gets {listed(parts)}."


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
)
