"""Hand-made rows of the tables of this room."""

from typing import Any

import numpy as np
import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.word_order import tables

# Values of a task of five grades.
CHANGES = {
    tables.FALL: -0.2,
    tables.ORDER_RISE: -0.05,
    tables.RANDOM_RISE: -0.3,
    tables.RISE_BEYOND: 0.25,
    tables.INTACT_RISE: -0.04,
    tables.SPARED: -0.01,
}
RETURNS = {
    tables.FALLEN: 0.2,
    tables.ORDER_BACK: 0.15,
    tables.RANDOM_BACK: 0.1,
    tables.BACK_BEYOND: 0.05,
}
KEYS = {"arm": TUNED, "unit": "words", "seed": 0, "examples": 100}


def change(difference: str, value: float, **keys: Any) -> dict[str, Any]:
    """A row of `CHANGES`."""
    return KEYS | {"difference": difference, "change": value} | keys


def returned(texts: str, share: float, **keys: Any) -> dict[str, Any]:
    """A row of `RETURNS`."""
    return KEYS | {"texts": texts, "share": share} | keys


def changes(**keys: Any) -> list[dict[str, Any]]:
    """A row for each difference."""
    return [change(name, value, **keys) for name, value in CHANGES.items()]


def returns(**keys: Any) -> list[dict[str, Any]]:
    """A row for each kind of texts."""
    return [returned(name, share, **keys) for name, share in RETURNS.items()]


def scores(**keys: Any) -> list[dict[str, Any]]:
    """The scores of order heads of the tuned model and of random weights."""
    return [
        KEYS | {"arm": arm, "score": score} | keys
        for arm, score in ((TUNED, 0.6), (RANDOM_WEIGHTS, 0.01))
    ]


def texts(**keys: Any) -> dict[str, Any]:
    """A row of `TEXTS`."""
    counts = {"pairs": 100, "without_other_order": 3, "exchanged": 0.9, "heads_ablated": 1}
    row = {"arm": TUNED, "unit": "words", "seed": 0, "steps": 4.0, "written": True}
    return row | counts | keys


def grades(unit: str, labels: int) -> pd.DataFrame:
    """Rows of `GRADES`, all shares alike."""
    return pd.DataFrame(
        {"arm": TUNED, "seed": 0, "unit": unit, "condition": condition, "grade": f"g{rank}"}
        | {"rank": rank, "share": 1 / labels}
        for condition in tables.CONDITIONS
        for rank in range(labels)
    )


def means(unit: str, labels: int) -> pd.DataFrame:
    """Rows of `MEANS`, all grades alike."""
    rows = pd.DataFrame({"condition": tables.CONDITIONS, "mean_grade": (labels - 1) / 2})
    return rows.assign(arm=TUNED, seed=0, unit=unit, examples=97, draws=[0, 0, 0, 0, 10])


def heads(unit: str, layers: int, heads: int) -> pd.DataFrame:
    """Rows of `HEADS`; the last head of layer 2 is an order head."""
    layer, head = (place.ravel() for place in np.indices((layers, heads)))
    selected = (layer == 2) & (head == heads - 1)
    score = np.where(selected, 0.6, 0.0)
    rows = pd.DataFrame({"layer": layer, "head": head, "direction": "next", "selected": selected})
    rows = rows.assign(intact=score, by_position=score, former=0.0, score=score, seed=0, unit=unit)
    return pd.concat([rows.assign(arm=arm) for arm in (TUNED, RANDOM_WEIGHTS)], ignore_index=True)
