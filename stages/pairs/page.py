"""Verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, section 4.5)."""

import pandas as pd

from stages.core.pages.beside import Beside, first_corpus
from stages.core.pages.charts import scatter
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, named, studied
from stages.pairs.said import said_of_candidates, said_of_most, said_of_moved
from stages.pairs.tables import BEST, CANDIDATES, HEADS, WHICH


def sections(measures: Measures) -> list[Section]:
    rows = measures.frame(HEADS)
    rows = rows[rows["kind"].notna()]
    crossed = _as_first(rows)
    return [
        Section(
            "K7: whether the heads that link words are diagonal ones",
            "The candidates are the heads that give most to pairs of words, as many as "
            "the setting pairs.candidates says. A head is diagonal if, of what it gives from "
            "tokens of text to tokens of text, more than the setting pairs.diagonal goes to the "
            "tokens beside them; [CLS] and [SEP] are left out. One half of the texts chooses the "
            "candidates, the other says which heads are diagonal. 'share' of the candidates are "
            "diagonal, 'chance' of all heads; 'excess' is the difference. The intervals allow for "
            "the texts and for how few candidates there are. 'diagonal' and 'both' count, on all "
            "texts, the diagonal heads and those among the candidates.",
            (_candidates_table(measures.frame(CANDIDATES)),),
        ),
        Section(
            "What pairs get beyond their distance",
            "The largest weight between the tokens of a pair, in either direction, mean over "
            "texts; against the same pairs moved elsewhere in the text. Heads near the diagonal "
            "of the figure give as much to any tokens as far apart: position explains them. Of "
            "several pairs in a text the largest weight counts ('maximum'), or all together "
            "('sum').",
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
        ),
    ]


def in_short(measures: Measures) -> list[str]:
    """Whether the heads that link words are those of neighbours, and what the strongest link."""
    candidates = first_corpus(_as_first(measures.frame(CANDIDATES)))
    kinds = candidates.own["kind"].unique()[:2]
    said = [said_of_candidates(_of_kind(candidates, kind), kind) for kind in kinds]
    cells = _as_first(measures.frame(HEADS))
    of_first = (cells["corpus"] == candidates.corpus) & (cells["kind"] == kinds[0])
    return [*said, said_of_most(cells[of_first])]


def _as_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Every pair with every other, of several the largest: what the claims are about."""
    first = (rows["pairing"] == "crossed") & (rows["aggregate"] == "maximum")
    return rows[first & rows["kind"].notna()]


def _of_kind(found: Beside, kind: str) -> Beside:
    parts = (rows[rows["kind"] == kind] for rows in (found.own, found.control))
    return Beside(found.corpus, *parts)


def _candidates_table(rows: pd.DataFrame) -> Table:
    rows = rows[rows["kind"].notna()]
    return Table(
        "pairs-candidates",
        "Candidates and diagonal heads",
        "Counts of heads, and shares of them. One row a corpus, encoder, kind of pair, pairing and "
        "aggregate; random weights are the control.",
        rows[["corpus", "encoder", *WHICH, *CANDIDATES.columns[1 : -len(WHICH)]]],
    )


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
            comparable=True,
            tooltip=["layer", "head", "weight", "moved_weight"],
        ),
        finding=said_of_moved(crossed),
    )


def _heads_figure(crossed: pd.DataFrame) -> Figure:
    own = studied(crossed)
    return heads_figure(
        "pairs-heads",
        "Weight on pairs",
        "Layer x head for each kind of pair: the attention that pairs get.",
        own.assign(panel=own["corpus"] + ": " + own["kind"]),
        "weight",
        "weight",
        panel="panel",
        tooltip=["panel", "layer", "head", "weight", "moved_weight"],
        finding=said_of_most(crossed),
    )


def _best_table(best: pd.DataFrame) -> Table:
    columns = ["corpus", "encoder", *WHICH, "layer", "head", "weight", "moved_weight"]
    columns += ["value", "low", "high", "texts", "same"]
    return Table(
        "pairs-best",
        "The head that gives most to pairs",
        "'value': of the head that gives most on one half of the texts, its weight on moved pairs "
        "over that on pairs, on the other half, mean over divisions: 1 where distance explains "
        "all. Heads without any pattern come near 1 too, so that no claim rests on it. 'layer', "
        "'head', 'weight' and 'moved_weight' are of the one head that gives most on all texts, so "
        "that the two weights need not give the value; 'same': whether every half chose it.",
        best[columns],
    )


PAGE = Page(
    order=26,
    group="What heads know of language",
    title="Pairs of words",
    summary="Whether the heads that link verbs and subjects are those that attend to neighbours.",
    studies=("K7",),
    sections=sections,
    in_short=in_short,
)
