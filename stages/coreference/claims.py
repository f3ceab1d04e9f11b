"""A head that finds antecedents (Clark et al. 2019, section 4.3, Table 2)."""

import pandas as pd

from stages.core.corpora.entries import load_corpus_entry
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_data, studied_rows, value_of_row
from stages.core.verdicts.setting import setting_of_corpus
from stages.coreference.tables import BEST

POINTS = 100


@measure
def antecedents_over(measures: Measures, settings: Settings, rival: str, kind: str) -> Answer:
    """Held-out accuracy of the best head minus that of a rule, on mentions of a kind.

    Natural text decides. Corpora of templates decide nothing: their few patterns give the
    antecedent away, to random weights too.
    """
    rows = _natural_first(measures.rows(BEST.where(rule=rival, kind=kind), drawn=True))
    return of_data(measures, rows, value_of_row("gain", "cases", POINTS), counted="mentions")


def _natural_first(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with those of natural text in front, as the first corpus decides.

    Raises:
        NotMeasured: there is no natural text.
    """
    natural = rows["data"].map(
        lambda name: setting_of_corpus(load_corpus_entry(name)).text == "natural"
    )
    if not natural.any():
        raise NotMeasured(
            "coreference is decided on natural text, and here are templates alone "
            f"({', '.join(rows['data'].unique())}), which give the antecedent away"
        )
    return pd.concat([rows[natural], rows[~natural]])


@summary("coreference")
def antecedent_accuracies(measures: Measures) -> dict:
    """For each corpus and kind: the best head, and each rule, held out."""
    table: dict = {}
    for row in studied_rows(measures.rows(BEST)).to_dict("records"):
        scores = table.setdefault(row["data"], {}).setdefault(row["kind"], {})
        scores["best head"] = row["score"]
        scores[row["rule"]] = row["rival"]
    return table
