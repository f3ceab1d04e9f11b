"""Whether heads of a layer are alike (Clark et al. 2019, section 6, Figure 6)."""

from stages.clusters.tables import PURITY
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, row_by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.measures import Measures


@measure
def purity_over_chance(measures: Measures, settings: Settings) -> Answer:
    """Share of a head's nearest heads that are of its layer, less that under shuffled layers."""
    return row_by_corpus(measures.drawn(PURITY), (*interval_names("above"), "texts"), "texts")


@summary("clusters")
def purities(measures: Measures) -> dict:
    """For each corpus and encoder: purity, chance, what it is above chance, and p."""
    table: dict = {}
    for row in measures.frame(PURITY).to_dict("records"):
        found = {name: row[name] for name in ("purity", "chance", "above", "p")}
        table.setdefault(row["corpus"], {})[row["encoder"]] = found
    return table
