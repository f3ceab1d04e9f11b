"""Syntax in the attention of all heads together (Clark et al. 2019, section 5, Table 3)."""

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.answers import Answer, NotMeasured
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data
from stages.probes.tables import SCORES, SOUND

POINTS = 100
DECISIVE = SCORES.where(punctuation=False, variant=SOUND)


@measure
def attachment(measures: Measures, settings: Settings, probe: str) -> Answer:
    """Unlabelled attachment score of a probe, without punctuation."""
    return of_data(measures, DECISIVE, lambda scores: _score(scores, probe), counted="words")


@measure
def attachment_over(measures: Measures, settings: Settings, probe: str, rival: str) -> Answer:
    """A probe's score minus another's of the same encoder, by the same resamples of the texts."""

    def difference(scores: pd.DataFrame) -> Estimate:
        return difference_of(_score(scores, probe), _score(scores, rival))

    return of_data(measures, DECISIVE, difference, counted="words")


@measure
def attachment_over_random_weights(measures: Measures, settings: Settings, probe: str) -> Answer:
    """A probe's score minus that of the same probe on random weights, by the same resamples."""
    rows = measures.rows(DECISIVE, drawn=True)
    of_random = rows["arm"] == RANDOM_WEIGHTS

    def difference(scores: pd.DataFrame) -> Estimate:
        random = rows[of_random & (rows["data"] == scores["data"].iloc[0])]
        return difference_of(_score(scores, probe), _score(random, probe))

    reason = "the claim itself is about the difference to them"
    return of_data(measures, rows, difference, counted="words", uncontrolled=reason)


@summary("probes")
def scores(measures: Measures) -> dict:
    """For each corpus, encoder and probe the score without punctuation."""
    table: dict = {}
    for row in measures.rows(DECISIVE).to_dict("records"):
        table.setdefault(row["data"], {}).setdefault(row["arm"], {})[row["probe"]] = row["uas"]
    return table


def _score(scores: pd.DataFrame, probe: str) -> Estimate:
    rows = scores[scores["probe"] == probe].to_dict("records")
    if not rows:
        raise NotMeasured(f"there is no probe of {probe} for this encoder")
    (row,) = rows
    return Estimate.of_value(row, "uas", int(row["words"])).scaled(POINTS)
