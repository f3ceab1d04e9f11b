"""Heads that seem to link verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, 4.4)."""

from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Answer, Estimate, first_of
from stages.core.verdicts.measures import Measures, NotMeasured, studied

BEST = "pairs/{corpus}-best.parquet"


@measure
def pairs_by_distance(measures: Measures, settings: Settings, kind: str) -> Answer:
    """Share of the weight of the head that gives most to pairs that moved pairs get as well."""
    rows = studied(measures.frame(BEST))
    rows = rows[(rows["kind"] == kind) & (rows["pairing"] == "crossed")]
    if rows.empty:
        raise NotMeasured(f"no text has {kind} that can be moved")
    found = {
        row["corpus"]: Estimate(row["value"], row["low"], row["high"], row["texts"])
        for row in rows.to_dict("records")
    }
    return first_of(found, "texts")
