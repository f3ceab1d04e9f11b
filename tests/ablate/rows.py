"""Rows of tables of effects, made by hand."""

from stages.core.tables import estimate_columns

BASELINE = 0.8


def effect(value: float, **columns) -> dict:
    """One row: an effect with an interval of 0.01 to both sides, and the same of the baseline."""
    ends = (value, value - 0.01, value + 0.01)
    row = {
        "seed": 0,
        "arm": "tuned",
        "metric": "accuracy",
        "examples": 400,
        "baseline": BASELINE,
        **estimate_columns("effect", *ends),
        **estimate_columns("relative", *(end / BASELINE for end in ends)),
    }
    return row | columns


def gate(value: float, **columns) -> dict:
    """A row of single heads or layers."""
    place = {"family": "head", "mode": "zero", "layer": 0, "head": 0, "p_holm": 1.0}
    return effect(value, **(place | columns))


def mean(value: float, **columns) -> dict:
    """A row of the means over heads or layers."""
    return effect(value, **({"family": "head", "mode": "zero"} | columns))
