"""What gradients of attention say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.said import ABOVE, BELOW, apart, counted, highest_and_lowest
from stages.core.stage.arms import RANDOM_WEIGHTS

SEPARATOR, WORDS = "sep", "words"


def upper_half(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the upper half of the layers."""
    return rows[rows["layer"] >= (rows["layer"].max() + 1) / 2]


def said_of_separators(rows: pd.DataFrame) -> str:
    """In how many upper layers a weight on [SEP] does less than one on words.

    The two are apart where their intervals do not meet.

    Args:
        rows: one row a `panel`, layer and kind: weights (whose they are), value, low and high.
    """
    own = _counts(rows[rows["weights"] != RANDOM_WEIGHTS])
    control = _counts(rows[rows["weights"] == RANDOM_WEIGHTS])
    if not own:
        return ""
    beside = f" Random weights: {control}." if control else ""
    return (
        "In the upper half of the layers, of all losses, the gradient of attention to [SEP] is "
        f"{own}.{beside}"
    )


def _counts(rows: pd.DataFrame) -> str:
    """How many layers have their intervals on which side of each other."""
    if rows.empty:
        return ""
    places = ["panel", "layer"]
    both = upper_half(rows).set_index([*places, "kind"])[["low", "high"]].unstack("kind")
    columns = [(end, kind) for kind in (SEPARATOR, WORDS) for end in ("low", "high")]
    if not set(columns) <= set(both.columns):
        return ""
    found = [apart(*row) for row in both[columns].itertuples(index=False)]
    below, above = found.count(BELOW), found.count(ABOVE)
    rest = len(found) - below - above
    return (
        f"smaller than that of attention to words in {below} of {counted(len(found), 'layer')} and "
        f"larger in {above}; their intervals meet in {rest}"
    )


def said_of_layers(rows: pd.DataFrame) -> list[str]:
    """For each loss where [SEP] has its largest and smallest gradient.

    Args:
        rows: as of `said_of_separators`; values are shares of the panel's largest.
    """
    said = []
    for panel, own in rows[rows["kind"] == SEPARATOR].groupby("panel", sort=False):
        shares = own.set_index("layer")["value"]
        said.append(f"{panel}, [SEP]: {highest_and_lowest(shares, 'layer', '.0%')}.")
    return said
