"""A head that finds antecedents (Clark et al. 2019, section 4.3, Table 2)."""

from stages.core.intervals.held_out import GAIN
from stages.core.verdicts.answers import Answer, row_by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.coreference.tables import BEST

POINTS = 100


@measure
def antecedents_over(measures: Measures, settings: Settings, rival: str, kind: str) -> Answer:
    """Held-out accuracy of the best head minus that of a rule, on mentions of a kind."""
    rows = studied(measures.frame(BEST))
    rows = rows[(rows["rival"] == rival) & (rows["kind"] == kind)]
    if rows.empty:
        raise NotMeasured(f"no corpus has {kind} mentions with an antecedent")
    return row_by_corpus(rows, (*GAIN, "cases"), "mentions", POINTS)


@summary("coreference")
def accuracies(measures: Measures) -> dict:
    """For each corpus and kind: the best head, and each rule, held out."""
    table: dict = {}
    for row in studied(measures.frame(BEST)).to_dict("records"):
        found = table.setdefault(row["corpus"], {}).setdefault(row["kind"], {})
        found["best head"] = row["value"]
        found[row["rival"]] = row["rival_value"]
    return table
