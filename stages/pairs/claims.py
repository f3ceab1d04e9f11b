"""Heads that seem to link verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, 4.5)."""

from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data, value_of_row
from stages.pairs.tables import CANDIDATES


@measure
def diagonal_candidates(
    measures: Measures, settings: Settings, kind: str, beyond_chance: bool = False
) -> Answer:
    """Share of the heads that give most to pairs of a kind that are diagonal heads, held out.

    Pairs are every one with every other, and of several in a text the largest weight counts.

    Args:
        beyond_chance: subtract the share of all heads that are diagonal.
    """
    rows = CANDIDATES.where(kind=kind, pairing="crossed", aggregate="maximum")
    column = "excess" if beyond_chance else "share"
    return of_data(measures, rows, value_of_row(column, "texts"), counted="texts")
