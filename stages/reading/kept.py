"""What is kept of a reader's answers, from which `results` makes tables."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.questions.question import Question
from stages.core.questions.shuffles import degrees
from stages.reading.attacks import CONTROLS
from stages.reading.conditions import Condition, Versions


def outcome_rows(
    outcomes: Mapping[Condition, Float[np.ndarray, " question"]],
    made: Versions,
    questions: Sequence[Question],
) -> pd.DataFrame:
    """One row a condition and question: condition, at, id, right, told_apart."""
    parts = []
    for condition, right in outcomes.items():
        apart = np.ones(len(questions), dtype=bool)
        if condition.name in made.attacked:
            apart = made.told_apart(condition.name)
        columns = {"id": [question.id for question in questions], "right": right}
        part = pd.DataFrame({**condition._asdict(), **columns, "told_apart": apart})
        parts.append(part.rename(columns={"name": "condition"}))
    return pd.concat(parts, ignore_index=True)


def shuffled_rows(made: Versions) -> pd.DataFrame:
    """One row an attack or control: how far its texts were shuffled, and which could not be."""
    rows = []
    for at, controls in CONTROLS.items():
        for name in (at, *controls):
            if name not in made.attacked:
                continue
            versions = made.attacked[name]
            found = degrees([text for version in versions for text in version.shuffled])
            same = sum(version.same_as_right > 0 for version in versions)
            cut = int((made.inputs[Condition(name, at)].cut > 0).sum())
            counts = {"examples": len(versions), "same_as_right": same, "cut": cut}
            rows.append({"condition": name, "at": at, **vars(found), **counts})
    return pd.DataFrame(rows)
