"""Attention across a pair, between the words that stand in both texts (Kovaleva et al. 2019, 5).

A head that looks at the other text looks at some of these words by chance. So the attention to the
equal word is compared with the attention to the other words of that text. The gain is 0 in a head
that does not tell words apart.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.encoder.families import WORD_MARKS
from stages.core.intervals.groups import resampled_means
from stages.core.maps.accumulated import HeadValues
from stages.core.recordings.recording import StoredRecording
from stages.core.tables import estimate_columns

GAIN = "gain"


def match_weights(
    numbers: Sequence[int], pieces: Sequence[str], segments: Sequence[int]
) -> Float[np.ndarray, "query key"] | None:
    """The weights of a map's cells in its gain: positive for equal words across, else negative.

    The gain is a mean over the words that stand in both texts. From each word (mean over its
    pieces) it adds the attention to equal words in the other text (sum over pieces). It subtracts
    the mean attention to a piece of other words there, times the number of equal pieces. Tokens
    without a letter or digit are no words, and upper case equals lower case.

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
            np.concatenate([places[other] for other in others]) for others in (equal, different)
        )
        given = np.zeros(len(numbers))
        given[same] = 1
        given[rest] = -len(same) / len(rest)
        weights[places[word]] = given / len(places[word])
    return weights / cases if cases else None


def match_gains(recording: StoredRecording) -> Float[np.ndarray, "head text"]:
    """The gain of equal words in every head, a share of attention; NaN for texts without any."""
    texts = len(recording.tokens)
    gains = HeadValues(recording.layers * recording.heads, texts)
    for batch in recording.batches():
        for example, row in enumerate(batch.rows):
            tokens = recording.tokens.iloc[row]
            weights = match_weights(tokens["word"], tokens["tokens"], tokens["segments"])
            if weights is not None:
                length = batch.lengths[example]
                maps = batch.maps[example, ..., :length, :length].numpy()
                gains.add(GAIN, row, np.tensordot(maps, weights, 2).ravel())
    return gains.get(GAIN, np.full((recording.layers * recording.heads, texts), np.nan))


def match_table(
    gains: dict[str, Float[np.ndarray, "head text"]], heads: int, resamples: int, seed: int
) -> pd.DataFrame:
    """One row an arm and head: the columns of `MATCHES`; none if no texts share words.

    Args:
        gains: of each arm, as `match_gains` gives them; arms have the same texts, which resamples
            draw alike.
    """
    tables = [pd.DataFrame()]
    for arm, values in gains.items():
        values = values[:, ~np.isnan(values).any(axis=0)]
        if not values.size:
            continue
        mean = resampled_means(values, np.arange(values.shape[1]), resamples, seed)
        layer, head = np.divmod(np.arange(len(values)), heads)
        columns = {"arm": arm, "layer": layer, "head": head, "texts": values.shape[1]}
        columns |= estimate_columns(GAIN, mean.value, mean.low, mean.high, mean.drawn)
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)
