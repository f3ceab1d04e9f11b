"""Whether heads of a layer are alike (Clark et al. 2019, section 6, Figure 6)."""

from stages.clusters.tables import PURITY
from stages.core.verdicts.answers import Answer, row_by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.measures import Measures, studied


@measure
def purity_over_chance(measures: Measures, settings: Settings) -> Answer:
    """Share of a head's nearest heads that are of its layer, minus that under shuffled layers.

    The interval is the range of 95% of the shuffles.
    """
    rows = studied(measures.frame(PURITY))
    above = {
        "value": rows["purity"] - rows["chance"],
        "low": rows["purity"] - rows["chance_high"],
        "high": rows["purity"] - rows["chance_low"],
    }
    return row_by_corpus(rows.assign(**above), (*above, "texts"), "texts")


@summary("clusters")
def purities(measures: Measures) -> dict:
    """For each corpus and encoder: purity, chance, and p of the permutation test."""
    table: dict = {}
    for row in measures.frame(PURITY).to_dict("records"):
        found = {name: row[name] for name in ("purity", "chance", "p")}
        table.setdefault(row["corpus"], {})[row["encoder"]] = found
    return table
