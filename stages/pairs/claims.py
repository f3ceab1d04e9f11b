"""Heads that seem to link verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, 4.5)."""

from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, row_by_corpus
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.pairs.tables import CANDIDATES


@measure
def diagonal_candidates(
    measures: Measures, settings: Settings, kind: str, beyond_chance: bool = False
) -> Answer:
    """Share of the heads that give most to pairs of a kind that are diagonal heads, held out.

    Pairs are every one with every other, and of several in a text the largest weight counts.

    Args:
        beyond_chance: less the share of all heads that are diagonal.
    """
    rows = measures.drawn(CANDIDATES)
    for column, value in {"kind": kind, "pairing": "crossed", "aggregate": "maximum"}.items():
        rows = rows[rows[column] == value]
    if rows.empty:
        raise NotMeasured(f"no corpus has texts with {kind}")
    column = "excess" if beyond_chance else "share"
    return row_by_corpus(rows, (*interval_names(column), "texts"), "texts")
