"""Rows of tables of effects, made by hand."""

BASELINE = 0.8


def effect(value: float, names: tuple[str, str] = ("effect", "relative"), **columns) -> dict:
    """One row: an effect with an interval of 0.01 to both sides, and the same of the baseline."""
    absolute, relative = names
    row = {
        "seed": 0,
        "arm": "tuned",
        "metric": "accuracy",
        "examples": 400,
        "baseline": BASELINE,
        absolute: value,
        relative: value / BASELINE,
        "low": value - 0.01,
        "high": value + 0.01,
        "relative_low": (value - 0.01) / BASELINE,
        "relative_high": (value + 0.01) / BASELINE,
    }
    return row | columns


def gate(value: float, **columns) -> dict:
    """A row of single heads or layers."""
    place = {"family": "head", "mode": "zero", "layer": 0, "head": 0, "p_holm": 1.0}
    return effect(value, **(place | columns))
