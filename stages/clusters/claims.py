"""Whether heads of a layer are alike (Clark et al. 2019, section 6, Figure 6)."""

import pandas as pd

from stages.clusters.tables import PURITY
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data


@measure
def purity_over_chance(measures: Measures, settings: Settings) -> Answer:
    """Share of a head's nearest heads that are of its layer, less that under shuffled layers."""

    def above_chance(rows: pd.DataFrame) -> Estimate:
        (row,) = rows.to_dict("records")
        return Estimate.of_value(row, "above", int(row["texts"]))

    return of_data(measures, PURITY, above_chance, counted="texts")


@summary("clusters")
def purities(measures: Measures) -> dict:
    """For each corpus and encoder: purity, chance, what it is above chance, and p."""
    table: dict = {}
    for row in measures.rows(PURITY).to_dict("records"):
        numbers = {name: row[name] for name in ("purity", "chance", "above", "p")}
        table.setdefault(row["data"], {})[row["arm"]] = numbers
    return table
