"""Patterns of the maps of a corpus (Kovaleva et al. 2019, section 4.1)."""

import pandas as pd

from stages.core.pages.beside import first_corpus
from stages.core.pages.charts import shares
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures, named, of_first_corpus, studied
from stages.patterns.said import (
    said_of_beyond,
    said_of_frequent,
    said_of_heads,
    said_of_heterogeneous,
)
from stages.patterns.scores import confusions, recalls, said_of_recalls
from stages.patterns.tables import (
    ANY,
    OUTSIDE,
    OUTSIDE_CORRECTED,
    SPECIAL,
    TEXT_BEYOND,
    TEXT_HEADS,
    TEXT_SHARES,
)


def sections(measures: Measures) -> list[Section]:
    try:
        corrected = [_corrected(measures)]
    except NotMeasured:
        corrected = []
    return [_shares(measures), *corrected]


def _corrected(measures: Measures) -> Section:
    """Shares of the corpora whose maps are labelled, without the classifier's mistakes.

    Raises:
        NotMeasured: no corpus has labels.
    """
    table, scored = measures.frame(OUTSIDE_CORRECTED), measures.frame(OUTSIDE)
    said = [
        f"{corpus}, rule {rule}: {said_of_recalls(recalls(confusions(rows, 'network')))}"
        for (corpus, rule), rows in scored.groupby(["corpus", "rule"], sort=False)
    ]
    columns = ["corpus", "rule", "pattern", "share", "corrected", "low", "high", "labelled"]
    return Section(
        "Shares corrected for the classifier's mistakes",
        "If the classifier confuses all maps of a corpus as it does those that are labelled, drawn "
        "by chance of the same recording, these shares of the labels explain the shares of its "
        f"predictions best. {' '.join(said)}",
        (
            Table(
                "text-patterns-corrected",
                "Corrected shares",
                "Share of predictions; corrected share with its 95% bootstrap interval over texts "
                "and over the heads of the labelled maps; how many of these have the label. With "
                "no such map the class counts as recognised.",
                table[columns],
            ),
        ),
    )


def _shares(measures: Measures) -> Section:
    table = named(measures.frame(TEXT_SHARES))
    cells = studied(measures.frame(TEXT_HEADS))
    cells = cells[cells["rule"] == SPECIAL]
    cells = cells.assign(panel=cells["corpus"] + ": " + cells["pattern"])
    columns = ["rule", "corpus", "encoder", "pattern", "share", "low", "high", "texts"]
    beyond = measures.frame(TEXT_BEYOND)
    over_heads = beyond.groupby(["corpus", "encoder"], sort=False)["beyond"].mean().reset_index()
    return Section(
        "Share of each pattern",
        "As on the page of the tasks, for texts of a corpus: so attention that was recorded "
        "elsewhere is sorted too. Under the rule any each stripe is Vertical, under the rule "
        "special, the source's, only one on [CLS] or [SEP].",
        (
            *(
                Figure(
                    f"text-patterns-shares-{rule}",
                    f"Share of each pattern, by corpus (rule {rule})",
                    "Stacked bars of each encoder add up to all maps.",
                    shares(table[table["rule"] == rule], "panel", "share", "pattern"),
                    finding=said_of_frequent(table[table["rule"] == rule], "corpus", "encoder"),
                )
                for rule in (SPECIAL, ANY)
            ),
            Table(
                "text-patterns-beyond",
                "Attention beyond [CLS], [SEP] and neighbours",
                "Share of attention, mean over heads; it needs no labels and no classifier.",
                over_heads,
            ),
            Table(
                "text-patterns-shares",
                "Shares",
                "Share of maps with its 95% bootstrap interval over groups of texts.",
                table[columns],
            ),
            heads_figure(
                "text-patterns-heads",
                "Share of each head's maps with each pattern (rule special)",
                "Layer x head for each pattern, of the encoder.",
                cells,
                "share",
                "share of maps",
                panel="panel",
                tooltip=["panel", "layer", "head", "share"],
                finding=" ".join(
                    f"{corpus}: {said_of_heads(own)}"
                    for corpus, own in cells.groupby("corpus", sort=False)
                ),
            ),
        ),
    )


def in_short(measures: Measures) -> list[str]:
    """Which patterns are frequent on the first corpus, and what needs no classifier."""
    table = first_corpus(measures.frame(TEXT_SHARES))
    rows = pd.concat([table.own, table.control])
    rows = rows[rows["rule"] == SPECIAL]
    beyond = first_corpus(measures.frame(TEXT_BEYOND))
    over_heads = pd.concat([beyond.own, beyond.control]).groupby("encoder", sort=False)["beyond"]
    own = str(table.own["encoder"].iloc[0])
    said = [
        said_of_frequent(rows, "corpus", "encoder"),
        said_of_heterogeneous(rows, "corpus", "encoder", own),
        said_of_beyond(over_heads.mean()),
    ]
    return [sentence for sentence in said if sentence]


def heads(measures: Measures) -> pd.DataFrame:
    """The pattern that most of a head's maps have on the first corpus."""
    cells = of_first_corpus(measures.frame(TEXT_HEADS))
    cells = cells[cells["rule"] == SPECIAL]
    best = cells.loc[cells.groupby(["layer", "head"])["share"].idxmax()]
    return pd.DataFrame({"pattern on text": best.set_index(["layer", "head"])["pattern"]})


PAGE = Page(
    order=22,
    group="Where heads look",
    title="Patterns on text",
    summary="The five patterns of the maps of corpora.",
    studies=("K3",),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
