"""A head that finds antecedents (Clark et al. 2019, section 4.3, Table 2)."""

import pandas as pd

from stages.core.corpora.entries import load_corpus_entry
from stages.core.intervals.held_out import GAIN
from stages.core.verdicts.answers import Answer, row_by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.core.verdicts.setting import setting_of_corpus
from stages.coreference.tables import BEST

POINTS = 100


@measure
def antecedents_over(measures: Measures, settings: Settings, rival: str, kind: str) -> Answer:
    """Held-out accuracy of the best head minus that of a rule, on mentions of a kind.

    Natural text decides. Corpora of templates stand beside it, but decide nothing: their few
    patterns give the antecedent away, to random weights too.
    """
    rows = measures.drawn(BEST)
    rows = rows[(rows["rival"] == rival) & (rows["kind"] == kind)]
    if rows.empty:
        raise NotMeasured(f"no corpus has {kind} mentions with an antecedent")
    return row_by_corpus(_natural_first(rows), (*GAIN, "cases"), "mentions", POINTS)


def _natural_first(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with those of natural text in front, as the first corpus decides.

    Raises:
        NotMeasured: there is no natural text.
    """
    natural = rows["corpus"].map(
        lambda name: setting_of_corpus(load_corpus_entry(name)).text == "natural"
    )
    if not natural.any():
        raise NotMeasured(
            "coreference is decided on natural text, and here are templates alone "
            f"({', '.join(rows['corpus'].unique())}), which give the antecedent away"
        )
    return pd.concat([rows[natural], rows[~natural]])


@summary("coreference")
def accuracies(measures: Measures) -> dict:
    """For each corpus and kind: the best head, and each rule, held out."""
    table: dict = {}
    for row in studied(measures.frame(BEST)).to_dict("records"):
        found = table.setdefault(row["corpus"], {}).setdefault(row["kind"], {})
        found["best head"] = row["value"]
        found[row["rival"]] = row["rival_value"]
    return table
