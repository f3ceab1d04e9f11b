"""The layers in which a word's role and position can be read (Lin, Tan, Frank 2019, section 3)."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from stages.core.stimuli.store import NTH_TOKEN, TEST
from stages.core.tables import drawn_of
from stages.core.verdicts.answers import Answer, NotMeasured
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data, studied_rows
from stages.layer_probes.tables import CHANCE, EMBEDDINGS, FIRST, LAYER, SCORES, WORD_EMBEDDINGS

POINTS = 100
NO_LAYER = "the measure is of states before the lowest layer, which random weights share"
WEAKNESS = "the claim is of a weakness, which an encoder that has learnt nothing has as well"


@measure
def probe_accuracy(
    measures: Measures, settings: Settings, probe: str, part: str, layers: Band | None = None
) -> Answer:
    """Accuracy of a probe on a part, mean over layers (all, by default)."""
    return _answer(measures, probe, [part], lambda rows: _of_layers(rows, layers))


@measure
def probe_step(
    measures: Measures, settings: Settings, probe: str, part: str, layers: Band
) -> Answer:
    """Accuracy at the lowest of some layers minus that at the input of the layer.

    The input is the layer beneath or, of the lowest layer, the embeddings.
    """

    def step(rows: pd.DataFrame) -> Estimate:
        lowest = _in_band(rows, layers)["layer"].min()
        beneath = _of_layer(rows, lowest - 1) if lowest else _of_state(rows, EMBEDDINGS)
        return difference_of(_mean(_of_layer(rows, lowest)), _mean(beneath))

    return _answer(measures, probe, [part], step)


@measure
def probe_band_over_rest(
    measures: Measures,
    settings: Settings,
    probe: str,
    part: str,
    layers: Band,
    positions: Sequence[int] = (0,),
) -> Answer:
    """Mean accuracy over some layers minus that over all others.

    Args:
        positions: the n of the n-th tokens that the mean is over.
    """

    def over(rows: pd.DataFrame) -> Estimate:
        inside = _in_band(rows, layers)
        of_layers = _of_state(rows, LAYER)
        rest = of_layers[~of_layers["layer"].isin(inside["layer"])]
        return difference_of(_mean(inside), _mean(rest))

    return _answer(measures, probe, [part], over, positions)


@measure
def probe_over_first(
    measures: Measures, settings: Settings, probe: str, part: str, layers: Band | None = None
) -> Answer:
    """Mean accuracy over layers minus that of naming the first auxiliary, or the first noun."""

    def over(rows: pd.DataFrame) -> Estimate:
        return difference_of(_of_layers(rows, layers), _mean(_of_state(rows, FIRST)))

    return _answer(measures, probe, [part], over)


@measure
def probe_loss(measures: Measures, settings: Settings, probe: str, part: str) -> Answer:
    """Accuracy on sentences like the training sentences minus that on a part, mean over layers."""

    def loss(rows: pd.DataFrame) -> Estimate:
        alike, other = (rows[rows["part"] == name] for name in (TEST, part))
        return difference_of(_of_layers(alike), _of_layers(other))

    return _answer(measures, probe, [TEST, part], loss, uncontrolled=WEAKNESS)


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
        return difference_of(*(fall(rows[rows["position"].isin(some)]) for some in (later, first)))

    return _answer(measures, NTH_TOKEN, [TEST], more, [*first, *later])


@measure
def words_over_chance(measures: Measures, settings: Settings, positions: list[int]) -> Answer:
    """Accuracy of the n-th token from words without their position, minus that of any word."""

    def over(rows: pd.DataFrame) -> Estimate:
        return difference_of(*(_mean(_of_state(rows, name)) for name in (WORD_EMBEDDINGS, CHANCE)))

    return _answer(measures, NTH_TOKEN, [TEST], over, positions, NO_LAYER)


@measure
def position_over_words(measures: Measures, settings: Settings, positions: list[int]) -> Answer:
    """Accuracy of the n-th token from embeddings with position, minus that without."""

    def over(rows: pd.DataFrame) -> Estimate:
        states = (EMBEDDINGS, WORD_EMBEDDINGS)
        return difference_of(*(_mean(_of_state(rows, name)) for name in states))

    return _answer(measures, NTH_TOKEN, [TEST], over, positions, NO_LAYER)


@summary("layer_probes")
def best_layers(measures: Measures) -> dict:
    """For each set, probe and part the layer with the highest accuracy, and that accuracy."""
    rows = studied_rows(measures.rows(SCORES.where(state=LAYER)))
    table: dict = {}
    keys = ["data", "probe", "position", "part"]
    for (data, probe, position, part), of_part in rows.groupby(keys, sort=False):
        best = of_part.loc[of_part["accuracy"].idxmax()]
        label = f"{probe} {position}" if position else probe
        layer = {"layer": int(best["layer"]), "accuracy": float(best["accuracy"])}
        table.setdefault(data, {}).setdefault(label, {})[part] = layer
    return table


def _answer(
    measures: Measures,
    probe: str,
    parts: list[str],
    estimate: Callable[[pd.DataFrame], Estimate],
    positions: Sequence[int] = (0,),
    uncontrolled: str = "",
) -> Answer:
    """The estimate of each set, in points; the first set decides.

    Raises:
        NotMeasured: no set has all of the parts and positions.
    """

    def in_points(rows: pd.DataFrame) -> Estimate:
        if set(rows["part"]) != set(parts) or set(rows["position"]) != set(positions):
            raise NotMeasured(f"the stimuli lack sentences of {probe}")
        return estimate(rows).scaled(POINTS)

    rows = SCORES.where(probe=probe, part=parts, position=list(positions))
    return of_data(measures, rows, in_points, counted="lexical items", uncontrolled=uncontrolled)


def _of_layers(rows: pd.DataFrame, layers: Band | None = None) -> Estimate:
    return _mean(_of_state(rows, LAYER) if layers is None else _in_band(rows, layers))


def _in_band(rows: pd.DataFrame, layers: Band) -> pd.DataFrame:
    """The rows of the layers in a band.

    Raises:
        NotMeasured: the encoder has no layer there.
    """
    of_layers = _of_state(rows, LAYER)
    inside = of_layers[layers.holds(of_layers["layer"])]
    if inside.empty:
        raise NotMeasured("the encoder has no layer at this depth")
    return inside


def _of_layer(rows: pd.DataFrame, layer: int) -> pd.DataFrame:
    return rows[(rows["state"] == LAYER) & (rows["layer"] == layer)]


def _of_state(rows: pd.DataFrame, state: str) -> pd.DataFrame:
    return rows[rows["state"] == state]


def _mean(rows: pd.DataFrame) -> Estimate:
    """The mean over rows, on each common resample.

    Raises:
        NotMeasured: there are none.
    """
    if rows.empty:
        raise NotMeasured("there is no such baseline")
    if len(rows) == 1:
        (row,) = rows.to_dict("records")
        return Estimate.of_value(row, "accuracy", int(row["items"]))
    drawn = np.mean(rows[drawn_of("accuracy")].tolist(), axis=0)
    return Estimate.of_drawn(rows["accuracy"].mean(), drawn, int(rows["items"].min()))
