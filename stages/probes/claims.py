"""Syntax in the attention of all heads together (Clark et al. 2019, section 5, Table 3)."""

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.answers import Answer, by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.probes.tables import SCORES

POINTS = 100


@measure
def attachment(measures: Measures, settings: Settings, probe: str) -> Answer:
    """Unlabelled attachment score of a probe, without punctuation."""
    rows = _rows(measures)
    return by_corpus(rows, lambda own: _score(studied(own), probe), "words")


@measure
def attachment_over(
    measures: Measures, settings: Settings, probe: str, rival: str, random_weights: bool = False
) -> Answer:
    """A probe's score minus another's, or (random_weights) minus another's of random weights."""

    def difference(own: pd.DataFrame) -> Estimate:
        others = own[own["encoder"] == RANDOM_WEIGHTS] if random_weights else studied(own)
        return difference_of(_score(studied(own), probe), _score(others, rival))

    return by_corpus(_rows(measures), difference, "words")


@summary("probes")
def scores(measures: Measures) -> dict:
    """For each corpus, encoder and probe the score without punctuation."""
    table: dict = {}
    for row in _rows(measures).to_dict("records"):
        table.setdefault(row["corpus"], {}).setdefault(row["encoder"], {})[row["probe"]] = row[
            "uas"
        ]
    return table


def _rows(measures: Measures) -> pd.DataFrame:
    rows = measures.frame(SCORES)
    return rows[~rows["punctuation"]]


def _score(rows: pd.DataFrame, probe: str) -> Estimate:
    own = rows[rows["probe"] == probe]
    if own.empty:
        raise NotMeasured(f"there is no probe of {probe} for this encoder")
    row = own.iloc[0]
    return Estimate(row["uas"], row["low"], row["high"], int(row["words"])).scaled(POINTS)
