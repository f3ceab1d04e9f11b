"""Syntax in the attention of all heads together (Clark et al. 2019, section 5, Table 3)."""

from dataclasses import replace

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, NotMeasured, by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures
from stages.probes.tables import SCORES, SOUND

POINTS = 100
UAS = interval_names(value="uas")


@measure
def attachment(measures: Measures, settings: Settings, probe: str) -> Answer:
    """Unlabelled attachment score of a probe, without punctuation."""
    return by_corpus(_decisive(measures.drawn(SCORES)), lambda own: _score(own, probe), "words")


@measure
def attachment_over(measures: Measures, settings: Settings, probe: str, rival: str) -> Answer:
    """A probe's score minus another's of the same encoder, by the same resamples of the texts."""

    def difference(own: pd.DataFrame) -> Estimate:
        return difference_of(_score(own, probe), _score(own, rival))

    return by_corpus(_decisive(measures.drawn(SCORES)), difference, "words")


@measure
def attachment_over_random_weights(measures: Measures, settings: Settings, probe: str) -> Answer:
    """A probe's score minus that of the same probe on random weights, by the same resamples."""
    rows = _decisive(measures.drawn(SCORES))

    def difference(own: pd.DataFrame) -> Estimate:
        (corpus,) = set(own["corpus"])
        others = rows[(rows["corpus"] == corpus) & (rows["encoder"] == RANDOM_WEIGHTS)]
        return difference_of(_score(own, probe), _score(others, probe))

    answer = by_corpus(rows[rows["encoder"] != RANDOM_WEIGHTS], difference, "words")
    return replace(answer, uncontrolled="the claim itself is about the difference to them")


@summary("probes")
def scores(measures: Measures) -> dict:
    """For each corpus, encoder and probe the score without punctuation."""
    table: dict = {}
    for row in _decisive(measures.frame(SCORES)).to_dict("records"):
        table.setdefault(row["corpus"], {}).setdefault(row["encoder"], {})[row["probe"]] = row[
            "uas"
        ]
    return table


def _decisive(rows: pd.DataFrame) -> pd.DataFrame:
    """Scores without punctuation, with the first of the choices."""
    return rows[~rows["punctuation"] & (rows["variant"] == SOUND)]


def _score(rows: pd.DataFrame, probe: str) -> Estimate:
    own = rows[rows["probe"] == probe].to_dict("records")
    if not own:
        raise NotMeasured(f"there is no probe of {probe} for this encoder")
    (row,) = own
    return Estimate.of_row(row, UAS, int(row["words"])).scaled(POINTS)
