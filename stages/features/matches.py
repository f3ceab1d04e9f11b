"""Attention to the words that stand in both texts of a pair, across them (Kovaleva et al. 2019, 5).

A head that looks at the other text at all looks at some of the words that stand in both. So what
such a word gets is held against what the other words there get from the same word: it gains
nothing in a head that does not tell them apart.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.encoder.families import WORD_MARKS
from stages.core.intervals.groups import resampled_means
from stages.core.maps.accumulated import HeadValues
from stages.core.recordings.recording import StoredRecording
from stages.core.stage.tables import interval_columns

GAIN = "gain"


def match_weights(
    numbers: Sequence[int], pieces: Sequence[str], segments: Sequence[int]
) -> Float[np.ndarray, "query key"] | None:
    """What a map is summed with: weight to equal words across the pair less that to other words.

    The mean over the words that stand in both texts: from a word (mean over its pieces) to the
    equal ones in the other text (sum over pieces), less what as many pieces of words there that
    are spelt otherwise get on average. Tokens without a letter or digit are no words, and case does
    not tell words apart.

    Args:
        numbers: of each token's word, -1 for none; see `token_table`.

    Returns:
        None where the texts share no word, or have no other one.
    """
    places: dict[int, list[int]] = {}
    for token, number in enumerate(numbers):
        if number >= 0:
            places.setdefault(number, []).append(token)
    spelt = {
        number: "".join(pieces[token].strip(WORD_MARKS) for token in tokens).lower()
        for number, tokens in places.items()
    }
    words = [number for number, text in spelt.items() if any(map(str.isalnum, text))]
    side = {number: segments[places[number][0]] for number in words}
    weights, cases = np.zeros((len(numbers), len(numbers))), 0
    for word in words:
        across = [other for other in words if side[other] != side[word]]
        equal = [other for other in across if spelt[other] == spelt[word]]
        different = [other for other in across if spelt[other] != spelt[word]]
        if not equal or not different:
            continue
        cases += 1
        same, rest = (
            np.concatenate([places[other] for other in found]) for found in (equal, different)
        )
        given = np.zeros(len(numbers))
        given[same] = 1
        given[rest] = -len(same) / len(rest)
        weights[places[word]] = given / len(places[word])
    return weights / cases if cases else None


def match_gains(recording: StoredRecording) -> Float[np.ndarray, "head text"]:
    """What words that stand in both texts gain in every head; NaN for texts that have none."""
    texts = len(recording.tokens)
    gains = HeadValues(recording.layers * recording.heads, texts)
    for batch in recording.batches():
        for place, row in enumerate(batch.rows):
            tokens = recording.tokens.iloc[row]
            weights = match_weights(tokens["word"], tokens["tokens"], tokens["segments"])
            if weights is not None:
                length = batch.lengths[place]
                maps = batch.maps[place, ..., :length, :length].numpy()
                gains.add(GAIN, row, np.tensordot(maps, weights, 2).ravel())
    return gains.get(GAIN, np.full((recording.layers * recording.heads, texts), np.nan))


def match_table(
    gains: dict[str, Float[np.ndarray, "head text"]], heads: int, resamples: int, seed: int
) -> tuple[pd.DataFrame, Float[np.ndarray, "column row resample"]]:
    """One row an arm and head: the columns of `MATCHES`; none where no texts share words.

    Args:
        gains: of each arm, as `match_gains` gives them; arms have the same texts.

    Returns:
        The table, and its column `gain` on resamples, the same for all arms.
    """
    tables, drawn = [pd.DataFrame()], [np.empty((0, resamples))]
    for arm, values in gains.items():
        values = values[:, ~np.isnan(values).any(axis=0)]
        if not values.size:
            continue
        found = resampled_means(values, np.arange(values.shape[1]), resamples, seed)
        layer, head = np.divmod(np.arange(len(values)), heads)
        columns = interval_columns("", found.value, found.low, found.high, value=GAIN)
        place = {"arm": arm, "layer": layer, "head": head}
        tables.append(pd.DataFrame(place | columns | {"texts": values.shape[1]}))
        drawn.append(found.drawn)
    return pd.concat(tables, ignore_index=True), np.concatenate(drawn)[None]
