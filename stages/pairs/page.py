"""Verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, section 4.4)."""

import pandas as pd

from stages.core.pages.charts import scatter
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, named, studied
from stages.pairs.tables import BEST, HEADS


def sections(measures: Measures) -> list[Section]:
    rows = measures.frame(HEADS)
    rows = rows[rows["kind"].notna()]
    crossed = rows[rows["pairing"] == "crossed"]
    return [
        Section(
            "K7: heads that seem to link words",
            "The largest weight between the tokens of a pair, in either direction, mean over "
            "texts; against the same pairs moved elsewhere in the text. Heads near the diagonal "
            "of the figure give as much to any tokens as far apart: position explains them.",
            (
                _moved_figure(crossed),
                _heads_figure(crossed),
                _best_table(measures.frame(BEST)),
                Table(
                    "pairs-heads",
                    "Every head",
                    "Pairs are every one with every other (crossed) or, as in the original, the "
                    "first with the first and so on (zipped).",
                    rows,
                ),
            ),
        )
    ]


def _moved_figure(crossed: pd.DataFrame) -> Figure:
    points = named(crossed)
    points = points.assign(panel=points["panel"] + ": " + points["kind"])
    return Figure(
        "pairs-moved",
        "Weight on pairs against weight on tokens as far apart",
        "One dot a head, one panel a corpus, encoder and kind of pair.",
        scatter(
            points,
            "moved_weight",
            "weight",
            ("weight on moved pairs", "weight on pairs"),
            panel="panel",
            tooltip=["layer", "head", "weight", "moved_weight"],
        ),
    )


def _heads_figure(crossed: pd.DataFrame) -> Figure:
    own = studied(crossed)
    return heads_figure(
        "pairs-heads",
        "Weight on pairs",
        "Layer x head for each kind of pair.",
        own.assign(panel=own["corpus"] + ": " + own["kind"]),
        "weight",
        "weight",
        panel="panel",
        tooltip=["panel", "layer", "head", "weight", "moved_weight"],
    )


def _best_table(best: pd.DataFrame) -> Table:
    columns = ["corpus", "encoder", "kind", "pairing", "layer", "head", "weight", "moved_weight"]
    columns += ["value", "low", "high", "texts", "same"]
    return Table(
        "pairs-best",
        "The head that gives most to pairs",
        "Chosen by its weight on one half of the texts; `value` is its weight on moved "
        "pairs over that on pairs, on the other half: 1 where distance explains all.",
        best[columns],
    )


PAGE = Page(
    order=26,
    title="Pairs of words",
    summary="Whether heads link verbs and subjects, or only tokens at a distance.",
    studies=("K7",),
    sections=sections,
)
