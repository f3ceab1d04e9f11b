"""Heads that mark the ends of words (query-title study, section 2.2)."""

import numpy as np
import pandas as pd

from stages.boundaries.said import (
    said_of_best,
    said_of_granularity,
    said_of_heads,
    said_of_marks,
    said_of_pairs,
    said_of_unions,
)
from stages.boundaries.tables import (
    ACCURACY,
    BEST,
    BEST_HEAD,
    F1,
    HEADS,
    NESTED,
    PAIRS,
    UNIONS,
)
from stages.core.intervals.held_out import RIVAL, SCORE
from stages.core.pages.charts import curves, dots, scatter
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, named, of_first_corpus

POINTS = 100


def sections(measures: Measures) -> list[Section]:
    return [_best(measures), _unions(measures), _granularity(measures), _heads(measures)]


def heads(measures: Measures) -> pd.DataFrame:
    """Accuracy of each head as a segmenter of the first corpus."""
    cells = of_first_corpus(measures.frame(HEADS)).set_index(["layer", "head"])
    return pd.DataFrame({"ends of words": cells["accuracy"]})


def in_short(measures: Measures) -> list[str]:
    best, unions, nested = (
        rows[rows["corpus"] == of_first_corpus(rows)["corpus"].iloc[0]]
        for rows in (measures.frame(BEST), measures.frame(UNIONS), measures.frame(NESTED))
    )
    said = (said_of_best(best, ACCURACY), said_of_unions(unions), said_of_granularity(nested))
    return [sentence for sentence in said if sentence]


def _best(measures: Measures) -> Section:
    rows = named(measures.frame(BEST))
    constants = rows[rows["reader"] == BEST_HEAD]
    constants = constants.drop(columns=list(SCORE))
    constants = constants.rename(columns=dict(zip(RIVAL, SCORE, strict=True)))
    shown = pd.concat([rows, constants.assign(reader="better constant")])
    columns = BEST.columns
    return Section(
        "T5: the best head, and all heads together",
        "A token ends a word where a head gives more to [SEP] than to the next token. The last "
        "token of a text is no case, nor is a token with a space behind it. Accuracy counts "
        "positions; F1 counts words of which both ends are marked and nothing between. The head "
        "is chosen on one half of the texts and scored on the other, both ways; so is the better "
        "of two constants, that every token ends a word and that none does. The regression over "
        "all heads takes each one's weight on [SEP] less that on the next token, and is scored on "
        "texts that it did not learn from; its interval is of these texts, for the regressions as "
        "they were fitted. Random weights are the control. The source found "
        "an accuracy of 70% for a single head, on other data, and names no constant beside it.",
        (
            _readers(shown, ACCURACY, "share of positions"),
            _readers(shown, F1, "F1 over words"),
            Table(
                "boundaries",
                "The best head, and all heads together",
                "The rival is the better constant, the gain what the reader has beyond it; place "
                "is the best head on all texts; same says whether all halves chose one head; "
                "hidden counts words in which no token begins, which no head can find.",
                rows[["corpus", *columns]],
            ),
        ),
    )


def _readers(rows: pd.DataFrame, score: str, title: str) -> Figure:
    rows = rows[rows["score"] == score]
    return Figure(
        f"boundaries-{score.lower()}",
        f"{title[0].upper()}{title[1:]}, held out",
        "A dot with its 95% interval for each reader.",
        dots(
            rows.assign(label=rows["corpus"] + ": " + rows["reader"]),
            "label",
            title,
            group="encoder",
            zero=False,
        ),
        finding=said_of_best(rows, score),
    )


def _unions(measures: Measures) -> Section:
    rows = named(measures.frame(UNIONS))
    own = rows[["panel", "heads", *SCORE]].assign(whose="best heads")
    others = rows[["panel", "heads", *RIVAL]].assign(whose="heads drawn at random")
    others = others.rename(columns=dict(zip(RIVAL, SCORE, strict=True)))
    return Section(
        "T5: the union of several heads",
        "A union is right where any of its heads is: it knows the answer when it chooses the head, "
        "and so it rises by chance. Two heads that always contradict each other are right "
        "everywhere together, and five coins at 97% of the positions. So beside the heads with "
        "the highest accuracy, chosen held out, stand as many heads drawn at random, computed over "
        "all draws, and the same of random weights. The source found 96% "
        "for several heads, without saying how many.",
        (
            Figure(
                "boundaries-unions",
                "Positions at which at least one head is right",
                "One panel an encoder, with 95% intervals, by the number of heads.",
                curves(
                    pd.concat([own, others]),
                    "heads",
                    "heads",
                    "share of positions",
                    group="whose",
                    panel="panel",
                ),
                finding=said_of_unions(rows),
            ),
            Table(
                "boundaries-unions",
                "Unions",
                "The rival is the union of as many heads drawn at random; places are the best "
                "heads on all texts.",
                rows[["corpus", *UNIONS.columns]],
            ),
        ),
    )


def _granularity(measures: Measures) -> Section:
    rows, pairs = measures.frame(NESTED), named(measures.frame(PAIRS))
    points = pairs.assign(
        apart=pairs["finer_marks"] - pairs["coarser_marks"],
        beyond=pairs["nested"] - pairs["by_chance"],
    )
    return Section(
        "T5: how coarsely heads cut",
        "Of two heads the coarser marks fewer ends. If its stretches are words of a coarser kind, "
        "each is made of whole stretches of the finer head: both of its ends are ends there too. "
        "By chance the finer head would mark an end anywhere as often as it does over all. The "
        "best heads and which of two is the coarser are chosen on one half of the texts and "
        "scored on the other. Heads that agree are in each other beyond chance as well, so "
        "random weights stand beside.",
        (
            Figure(
                "boundaries-granularity",
                "Every two of the best heads",
                "A dot a pair: how much more often the finer marks an end, and how many more of "
                "the coarser's stretches than by chance are made of the finer's.",
                scatter(
                    points,
                    "apart",
                    "beyond",
                    ("marks of the finer less the coarser's", "beyond chance"),
                    panel="panel",
                    comparable=True,
                    tooltip=["coarser", "finer", "disagreement", "coarser_alone", "nested"],
                ),
                finding=said_of_pairs(points),
            ),
            Table(
                "boundaries-nested",
                "Mean over pairs, held out",
                "Shares of stretches; the rival is chance.",
                rows[["corpus", *NESTED.columns]],
            ),
            Table(
                "boundaries-pairs",
                "Every two of the best heads, on all texts",
                "Marks and disagreement are shares of positions; coarser_alone is the share of "
                "disagreements at which the coarser marks an end and the finer does not.",
                pairs[["corpus", *PAIRS.columns]],
            ),
        ),
    )


def _heads(measures: Measures) -> Section:
    cells = named(measures.frame(HEADS))
    constant = np.maximum(cells["ends"], 1 - cells["ends"])
    cells = cells.assign(beyond=POINTS * (cells["accuracy"] - constant))
    return Section(
        "Every head",
        "On all texts: good for a picture, too good for a claim, as the best of many heads is "
        "chosen on the same texts.",
        (
            heads_figure(
                "boundaries-heads",
                "Accuracy of every head less that of the better constant",
                "Layer x head for each encoder, in points; white is the constant.",
                cells,
                "beyond",
                "points",
                panel="panel",
                diverging=True,
                tooltip=["panel", "layer", "head", "accuracy", "F1", "marks"],
                finding=said_of_heads(cells),
            ),
            Figure(
                "boundaries-marks",
                "How often a head marks an end, and how often it is right",
                "A dot a head; the further to the right, the finer it cuts.",
                scatter(
                    cells,
                    "marks",
                    "accuracy",
                    ("share of positions marked", "share of positions right"),
                    panel="panel",
                    comparable=True,
                    tooltip=["layer", "head", "accuracy", "F1", "marks"],
                ),
                finding=said_of_marks(cells),
            ),
            Table(
                "boundaries-heads",
                "Every head",
                "Shares of positions, and F1 over words; ends is the share of positions that "
                "end a word.",
                cells[["corpus", *HEADS.columns]],
            ),
        ),
    )


PAGE = Page(
    order=31,
    group="What heads know of language",
    title="Word boundaries",
    summary="Heads as segmenters of text without spaces, against constants and chance.",
    studies=("T5",),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
