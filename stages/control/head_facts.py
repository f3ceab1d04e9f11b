"""What a head's page shows of the place's effect in an encoder that began at random."""

import pandas as pd

from stages.control.tables import GATES
from stages.core.pages.head_facts import HeadFacts
from stages.core.pages.shared_figures import effects
from stages.core.verdicts.measures import Measures


def rows(measures: Measures) -> pd.DataFrame:
    """One row a task, mode and head, over fine-tunings."""
    gates = effects(measures, GATES)
    single = gates[gates["family"] == "head"]
    columns = {
        "layer": "layer",
        "head": "head",
        "task": "task",
        "mode": "off as",
        "effect_points": "effect, points",
        "low_points": "low",
        "high_points": "high",
        "p_holm": "p (Holm)",
        "examples": "examples",
    }
    return single[list(columns)].astype({"layer": int, "head": int}).rename(columns=columns)


FACTS = (
    HeadFacts(
        "control",
        11,
        "The same place in an encoder that began at random",
        "A control: the head at this layer and number has nothing else in common with this one.",
        rows,
    ),
)
