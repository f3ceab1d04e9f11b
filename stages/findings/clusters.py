"""Whether heads of a layer are alike (Clark et al. 2019, section 6, Figure 6)."""

from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Answer, Estimate, first_of
from stages.core.verdicts.measures import Measures, studied

PURITY = "clusters/{corpus}-purity.parquet"


@measure
def purity_over_chance(measures: Measures, settings: Settings) -> Answer:
    """Share of a head's nearest heads that are of its layer, minus that under shuffled layers.

    The interval is the range of 95% of the shuffles.
    """
    found = {
        row["corpus"]: Estimate(
            row["purity"] - row["chance"],
            row["purity"] - row["chance_high"],
            row["purity"] - row["chance_low"],
            row["texts"],
        )
        for row in studied(measures.frame(PURITY)).to_dict("records")
    }
    return first_of(found, "texts")


@summary("clusters")
def purities(measures: Measures) -> dict:
    """For each corpus and encoder: purity, chance, and p of the permutation test."""
    table: dict = {}
    for row in measures.frame(PURITY).to_dict("records"):
        found = {name: row[name] for name in ("purity", "chance", "p")}
        table.setdefault(row["corpus"], {})[row["encoder"]] = found
    return table
