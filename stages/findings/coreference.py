"""A head that finds antecedents (Clark et al. 2019, section 4.3, Table 2)."""

from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Answer, Estimate, first_of
from stages.core.verdicts.measures import Measures, NotMeasured, studied

BEST = "coreference/{corpus}.parquet"
POINTS = 100


@measure
def antecedents_over(measures: Measures, settings: Settings, rival: str, kind: str) -> Answer:
    """Held-out accuracy of the best head minus that of a rule, on mentions of a kind."""
    rows = studied(measures.frame(BEST))
    rows = rows[(rows["rival"] == rival) & (rows["kind"] == kind)]
    if rows.empty:
        raise NotMeasured(f"no corpus has {kind} mentions with an antecedent")
    found = {
        row["corpus"]: Estimate(
            row["gain_value"], row["gain_low"], row["gain_high"], row["cases"]
        ).scaled(POINTS)
        for row in rows.to_dict("records")
    }
    return first_of(found, "mentions")


@summary("coreference")
def accuracies(measures: Measures) -> dict:
    """For each corpus and kind: the best head, and each rule, held out."""
    table: dict = {}
    for row in studied(measures.frame(BEST)).to_dict("records"):
        found = table.setdefault(row["corpus"], {}).setdefault(row["kind"], {})
        found["best head"] = row["value"]
        found[row["rival"]] = row["rival_value"]
    return table
