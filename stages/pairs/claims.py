"""Heads that seem to link verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, 4.4)."""

from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, row_by_corpus
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.pairs.tables import BEST


@measure
def pairs_by_distance(measures: Measures, settings: Settings, kind: str) -> Answer:
    """Share of the weight of the head that gives most to pairs that moved pairs get as well."""
    rows = studied(measures.frame(BEST))
    rows = rows[(rows["kind"] == kind) & (rows["pairing"] == "crossed")]
    if rows.empty:
        raise NotMeasured(f"no text has {kind} that can be moved")
    return row_by_corpus(rows, (*interval_names(value="value"), "texts"), "texts")
