"""What each layer knows of a word's place in the sentence (Lin, Tan, Frank 2019, section 3)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from stages.core.stage.tables import drawn_name, interval_names
from stages.core.stimuli.store import NTH_TOKEN, TEST
from stages.core.verdicts.answers import Answer, NotMeasured, by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures, studied
from stages.layer_probes.tables import CHANCE, EMBEDDINGS, FIRST, LAYER, SCORES, WORD_EMBEDDINGS

POINTS = 100
COUNTED = "lexical items"
ACCURACY = interval_names(value="accuracy")
NO_LAYER = "what is measured is before the lowest layer, which random weights share"
WEAKNESS = "the claim is of a weakness, which who has learnt nothing has as well"


@measure
def probe_accuracy(
    measures: Measures, settings: Settings, probe: str, part: str, layers: Band | None = None
) -> Answer:
    """Accuracy of a probe on a part, mean over layers (all, by default)."""
    return _answer(measures, probe, part, lambda rows: _of_layers(rows, layers))


@measure
def probe_step(
    measures: Measures, settings: Settings, probe: str, part: str, layers: Band
) -> Answer:
    """Accuracy at the lowest of some layers less that at what the layer reads.

    That is the layer beneath or, of the lowest layer, the embeddings.
    """

    def step(rows: pd.DataFrame) -> Estimate:
        lowest = _in_band(rows, layers)["layer"].min()
        beneath = _of_layer(rows, lowest - 1) if lowest else rows[rows["state"] == EMBEDDINGS]
        return difference_of(_mean(_of_layer(rows, lowest)), _mean(beneath))

    return _answer(measures, probe, part, step)


@measure
def probe_band_over_rest(
    measures: Measures,
    settings: Settings,
    probe: str,
    part: str,
    layers: Band,
    positions: Sequence[int] = (0,),
) -> Answer:
    """Mean accuracy over some layers less that over all others.

    Args:
        positions: of the n-th token, whose mean it is.
    """

    def over(rows: pd.DataFrame) -> Estimate:
        own = _in_band(rows, layers)
        rest = rows[(rows["state"] == LAYER) & ~rows["layer"].isin(own["layer"])]
        return difference_of(_mean(own), _mean(rest))

    return _answer(measures, probe, part, over, positions)


@measure
def probe_over_first(
    measures: Measures, settings: Settings, probe: str, part: str, layers: Band | None = None
) -> Answer:
    """Mean accuracy over layers less that of naming the first auxiliary, or the first noun."""

    def over(rows: pd.DataFrame) -> Estimate:
        return difference_of(_of_layers(rows, layers), _mean(rows[rows["state"] == FIRST]))

    return _answer(measures, probe, part, over)


@measure
def probe_loss(measures: Measures, settings: Settings, probe: str, part: str) -> Answer:
    """What a probe loses on a part, against sentences like those it learnt on, mean over layers."""

    def loss(rows: pd.DataFrame) -> Estimate:
        alike, other = (rows[rows["part"] == name] for name in (TEST, part))
        return difference_of(_of_layers(alike, None), _of_layers(other, None))

    return _without_control(_answer(measures, probe, [TEST, part], loss), WEAKNESS)


@measure
def later_positions_fall(
    measures: Measures, settings: Settings, first: list[int], later: list[int], layers: Band
) -> Answer:
    """How much more accuracy later positions lose to the highest layer than the first positions.

    Args:
        layers: from whose mean they fall.
    """

    def fall(rows: pd.DataFrame) -> Estimate:
        top = _of_layer(rows, rows["layer"].max())
        return difference_of(_mean(_in_band(rows, layers)), _mean(top))

    def more(rows: pd.DataFrame) -> Estimate:
        own = [rows[rows["position"].isin(some)] for some in (later, first)]
        return difference_of(*map(fall, own))

    return _answer(measures, NTH_TOKEN, TEST, more, [*first, *later])


@measure
def words_over_chance(measures: Measures, settings: Settings, positions: list[int]) -> Answer:
    """Accuracy of the n-th token from words without their position, less that of any word."""

    def over(rows: pd.DataFrame) -> Estimate:
        words, chance = (rows[rows["state"] == name] for name in (WORD_EMBEDDINGS, CHANCE))
        return difference_of(_mean(words), _mean(chance))

    return _without_control(_answer(measures, NTH_TOKEN, TEST, over, positions), NO_LAYER)


@measure
def position_over_words(measures: Measures, settings: Settings, positions: list[int]) -> Answer:
    """Accuracy of the n-th token from embeddings with position, less that without."""

    def over(rows: pd.DataFrame) -> Estimate:
        with_it, without = (rows[rows["state"] == name] for name in (EMBEDDINGS, WORD_EMBEDDINGS))
        return difference_of(_mean(with_it), _mean(without))

    return _without_control(_answer(measures, NTH_TOKEN, TEST, over, positions), NO_LAYER)


@summary("layer_probes")
def best_layers(measures: Measures) -> dict:
    """For each set, probe and part the layer with the highest accuracy, and that accuracy."""
    rows = studied(measures.frame(SCORES))
    table: dict = {}
    keys = ["set", "probe", "position", "part"]
    for place, own in rows[rows["state"] == LAYER].groupby(keys, sort=False):
        best = own.loc[own["accuracy"].idxmax()]
        name, probe, position, part = place
        label = f"{probe} {position}" if position else probe
        found = {"layer": int(best["layer"]), "accuracy": float(best["accuracy"])}
        table.setdefault(name, {}).setdefault(label, {})[part] = found
    return table


def _answer(
    measures: Measures,
    probe: str,
    parts: str | list[str],
    estimate: Callable[[pd.DataFrame], Estimate],
    positions: Sequence[int] = (0,),
) -> Answer:
    """The estimate of each set, in points; the first set decides.

    Raises:
        NotMeasured: no set has all of the parts and positions.
    """
    wanted = [parts] if isinstance(parts, str) else parts
    rows = measures.drawn(SCORES)
    rows = rows[(rows["probe"] == probe) & rows["part"].isin(wanted)]
    rows = rows[rows["position"].isin(positions)].assign(corpus=rows["set"])

    def in_points(own: pd.DataFrame) -> Estimate:
        if set(own["part"]) != set(wanted) or set(own["position"]) != set(positions):
            raise NotMeasured(f"the stimuli lack sentences of {probe}")
        return estimate(own).scaled(POINTS)

    return by_corpus(rows, in_points, COUNTED)


def _without_control(answer: Answer, reason: str) -> Answer:
    return replace(answer, control=None, beyond=None, uncontrolled=reason)


def _of_layers(rows: pd.DataFrame, layers: Band | None) -> Estimate:
    return _mean(rows[rows["state"] == LAYER] if layers is None else _in_band(rows, layers))


def _in_band(rows: pd.DataFrame, layers: Band) -> pd.DataFrame:
    """The rows of the layers in a band.

    Raises:
        NotMeasured: the encoder has no layer there.
    """
    own = rows[rows["state"] == LAYER]
    own = own[layers.holds(own["layer"])]
    if own.empty:
        raise NotMeasured("the encoder has no layer at this depth")
    return own


def _of_layer(rows: pd.DataFrame, layer: int) -> pd.DataFrame:
    return rows[(rows["state"] == LAYER) & (rows["layer"] == layer)]


def _mean(rows: pd.DataFrame) -> Estimate:
    """The mean over rows, on each common resample.

    Raises:
        NotMeasured: there are none.
    """
    if rows.empty:
        raise NotMeasured("there is no such baseline")
    if len(rows) == 1:
        (row,) = rows.to_dict("records")
        return Estimate.of_row(row, ACCURACY, int(row["items"]))
    drawn = np.mean(rows[drawn_name("accuracy")].tolist(), axis=0)
    return Estimate.of_drawn(rows["accuracy"].mean(), drawn, int(rows["items"].min()))
