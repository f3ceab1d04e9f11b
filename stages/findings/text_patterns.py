"""How frequent each pattern is on a corpus (Kovaleva et al. 2019, section 4.1)."""

from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Answer, row_by_corpus
from stages.core.verdicts.measures import Measures, NotMeasured, studied

SHARES = "text_patterns/{corpus}-shares.parquet"


@measure
def text_pattern_share(measures: Measures, settings: Settings, pattern: str) -> Answer:
    """Share of a pattern among all maps of a corpus that was recorded elsewhere."""
    rows = studied(measures.frame(SHARES))
    rows = rows[(rows["pattern"] == pattern) & (rows["encoder"] == "recorded")]
    if rows.empty:
        raise NotMeasured("no attention that was recorded elsewhere")
    return row_by_corpus(rows, ("share", "low", "high", "texts"), "texts")
