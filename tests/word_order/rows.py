"""Hand-made rows of the tables of this room."""

from typing import Any

import numpy as np
import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.word_order import tables

# What a task of five grades has; of texts and heads that nothing else is known of.
VALUES = {
    tables.FALL: -0.2,
    tables.ORDER_RISE: -0.05,
    tables.RANDOM_RISE: -0.3,
    tables.RISE_BEYOND: 0.25,
    tables.INTACT_RISE: -0.04,
    tables.SPARED: -0.01,
    tables.FALLEN: 0.2,
    tables.ORDER_BACK: 0.15,
    tables.RANDOM_BACK: 0.1,
    tables.BACK_BEYOND: 0.05,
}


def quantity(
    name: str,
    value: float,
    unit: str = "words",
    seed: int = 0,
    arm: str = TUNED,
    half: float = 0.02,
) -> dict[str, Any]:
    """A row of QUANTITIES with an interval."""
    limits = {"value": value, "low": value - 0.02, "high": value + 0.02}
    return {"seed": seed, "arm": arm, "unit": unit, "quantity": name, **limits, "examples": 100}


def quantities(unit: str = "words", seed: int = 0) -> list[dict[str, Any]]:
    """Rows of all of them."""
    rows = [quantity(name, value, unit, seed) for name, value in VALUES.items()]
    rows.append(quantity(tables.SCORE, 0.6, unit, seed))
    return [*rows, quantity(tables.SCORE, 0.01, unit, seed, RANDOM_WEIGHTS)]


def texts(unit: str = "words", seed: int = 0, steps: float = 4.0) -> dict[str, Any]:
    counts = {"pairs": 100, "without_other_order": 3, "exchanged": 0.9, "heads_off": 1}
    return {"seed": seed, "unit": unit, **counts, "steps": steps, "written": True}


def graded(unit: str, labels: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of shares, all alike, and of mean grades."""
    shares = [
        {"seed": 0, "unit": unit, "condition": condition, "place": place, "grade": f"g{place}"}
        for condition in tables.CONDITIONS
        for place in range(labels)
    ]
    share = 1 / labels
    of_shares = pd.DataFrame(shares).assign(share=share, low=share - 0.02, high=share + 0.02)
    mean = (labels - 1) / 2
    means = pd.DataFrame({"condition": tables.CONDITIONS, "mean": mean})
    means = means.assign(low=mean - 0.1, high=mean + 0.1, examples=97, draws=[0, 0, 0, 0, 10])
    return of_shares, means.assign(seed=0, unit=unit)


def heads(unit: str, layers: int, heads: int) -> pd.DataFrame:
    """A table of heads, of which the last of layer 2 is an order head."""
    layer, head = (place.ravel() for place in np.indices((layers, heads)))
    chosen = (layer == 2) & (head == heads - 1)
    score = np.where(chosen, 0.6, 0.0)
    rows = pd.DataFrame({"layer": layer, "head": head, "direction": "next", "chosen": chosen})
    rows = rows.assign(intact=score, by_position=score, former=0.0, score=score)
    rows = rows.assign(score_low=score - 0.01, score_high=score + 0.01, seed=0, unit=unit)
    return pd.concat([rows.assign(arm=arm) for arm in (TUNED, RANDOM_WEIGHTS)], ignore_index=True)
