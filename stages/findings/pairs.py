"""Heads that seem to link verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, 4.4)."""

from stages.core.intervals import bootstrap
from stages.core.project.metrics import spearman
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Answer, Estimate, first_of
from stages.core.verdicts.measures import Measures, NotMeasured, studied

HEADS = "pairs/{corpus}.parquet"


@measure
def pairs_by_distance(measures: Measures, settings: Settings, kind: str) -> Answer:
    """Rank correlation over heads of weights on pairs and on tokens as far apart elsewhere."""
    rows = studied(measures.frame(HEADS))
    rows = rows[(rows["kind"] == kind) & (rows["pairing"] == "crossed")]
    if rows.empty:
        raise NotMeasured(f"no text has {kind}")
    found = {}
    for corpus, heads in rows.groupby("corpus", sort=False):
        columns = tuple(heads[name].to_numpy() for name in ("weight", "moved_weight"))
        interval = bootstrap(spearman, columns, settings.resamples, settings.seed)
        found[corpus] = Estimate.of(interval, len(heads))
    return first_of(found, "heads")
