"""Which texts and which maps are kept: some drawn by the seed, and some that show a pattern.

The clearest map alone would show a pattern nicer than it is: beside it stands the median.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from stages.core.viewer.clearest import clearest_and_median
from stages.core.viewer.tables import PATTERN, ROLE


class Choice(NamedTuple):
    """A map that was chosen; `text` is a place among the candidates.

    Attributes:
        kind: `PATTERN`, `ROLE` or `RELATION`; `name` is which.
        which: `CLEAREST` or `MEDIAN`.
        value: the probability of the pattern, or the strength of the role.
        among: how many maps have the pattern, or texts a strength in the role's head.
    """

    kind: str
    name: str
    which: str
    text: int
    layer: int
    head: int
    value: float
    among: int


def candidates(
    lengths: Int[np.ndarray, " text"], most_tokens: int, most: int | None, seed: int
) -> Int[np.ndarray, " candidate"]:
    """Places of texts of at most `most_tokens`, `most` of them drawn; else the first shortest."""
    rows = np.flatnonzero(lengths <= most_tokens)
    if not len(rows):
        return np.array([int(lengths.argmin())])
    return np.sort(np.random.default_rng([seed, 1]).permutation(rows)[:most])


def drawn_by_seed(count: int, most: int, seed: int) -> list[int]:
    """Places of `most` of `count` candidates, drawn without a look at their maps."""
    return sorted(np.random.default_rng([seed, 2]).permutation(count)[:most].tolist())


def choose_patterns(maps: pd.DataFrame) -> list[Choice]:
    """The clearest and the median map of each pattern that some map has.

    Args:
        maps: one row a classified map: text, layer, head, pattern and its probability.
    """
    maps = maps.sort_values(["text", "layer", "head"])
    found = []
    for pattern, own in maps.groupby("pattern", observed=True, sort=True):
        chosen = clearest_and_median(own["probability"].to_numpy())
        for which, place in chosen.items():
            row = own.iloc[place]
            at = int(row["text"]), int(row["layer"]), int(row["head"])
            value = float(row["probability"])
            found.append(Choice(PATTERN, str(pattern), which, *at, value, len(own)))
    return found


def choose_roles(
    strengths: Mapping[str, Float[np.ndarray, "text head"]], heads: int
) -> list[Choice]:
    """Of each role the clearest and the median text of its strongest head.

    The strongest head has the largest mean over the texts that have the role; where even that is
    not above 0, which equal attention to all tokens has, no head has the role.

    Args:
        strengths: by role, of the heads of all layers in one row; NaN where a text lacks the role.
        heads: of a layer.
    """
    found = []
    for role, of_texts in strengths.items():
        known = ~np.isnan(of_texts).all(1)
        if not known.any():
            continue
        means = np.nanmean(of_texts[known], axis=0)
        best = int(np.argmax(means))
        if means[best] <= 0:
            continue
        own = of_texts[:, best]
        for which, text in clearest_and_median(own).items():
            layer, head = divmod(best, heads)
            cases = int((~np.isnan(own)).sum())
            found.append(Choice(ROLE, role, which, text, layer, head, float(own[text]), cases))
    return found
