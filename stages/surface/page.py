"""What heads look at on the surface (Clark et al. 2019, sections 3.1 to 3.3; Vig 2019)."""

import numpy as np
import pandas as pd

from stages.core.pages.charts import curves
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.pages.titles import PATTERN_TITLES
from stages.core.stage.tables import interval_names
from stages.core.verdicts.estimates import Estimate, mean_on_same_examples
from stages.core.verdicts.measures import Measures, named, of_first_corpus
from stages.surface.said import (
    said_of_breadth,
    said_of_layers,
    said_of_most,
    said_of_neighbours,
    said_of_special,
)
from stages.surface.tables import HEADS, PATTERN, SEP_HEADS, STRONGEST

SHARES = {
    "cls": "to [CLS]",
    "sep": "to [SEP]",
    "sep_to_sep": "from [SEP] to [SEP]",
    "punctuation": "to punctuation",
    "previous": "to the previous token",
    "next": "to the next token",
    "current": "to the token itself",
}
ENTROPIES = {"entropy": "all tokens", "cls_entropy": "[CLS] alone"}


def sections(measures: Measures) -> list[Section]:
    rows = measures.drawn(HEADS)
    return [
        _patterns(rows, measures.frame(STRONGEST)),
        _figure_and_table(
            rows,
            SHARES,
            "C1, C2: neighbours, special tokens and punctuation",
            "shares",
            "share of attention",
            "Mean over the tokens of a text, then over texts.",
            said_of_most(rows, SHARES, ".0%"),
        ),
        _sep_heads(measures.frame(SEP_HEADS)),
        _figure_and_table(
            rows,
            ENTROPIES,
            "C4: how broad attention is",
            "entropy",
            "nats",
            "Entropy of what a token attends to: 0 for one token, the logarithm of the length for "
            "all alike.",
            said_of_layers(rows, ENTROPIES, ".1f", "nats"),
        ),
        _layers(rows),
    ]


def in_short(measures: Measures) -> list[str]:
    """What heads of the first corpus look at: neighbours, special tokens, and how broadly."""
    rows = measures.frame(HEADS)
    return [
        said_of_neighbours(measures.frame(STRONGEST)),
        said_of_special(rows),
        said_of_breadth(rows),
    ]


def heads(measures: Measures) -> pd.DataFrame:
    """The pattern that each head follows most, and its strength, on the first corpus."""
    own = _strengths(of_first_corpus(measures.frame(HEADS)))
    best = own.loc[own.groupby(["layer", "head"])["mean"].idxmax()].set_index(["layer", "head"])
    return pd.DataFrame({"surface role": best["pattern"], "its strength": best["mean"]})


def _strengths(rows: pd.DataFrame) -> pd.DataFrame:
    own = rows[rows["statistic"].str.startswith(PATTERN)]
    return own.assign(pattern=own["statistic"].str.removeprefix(PATTERN).map(PATTERN_TITLES))


def _patterns(rows: pd.DataFrame, strongest: pd.DataFrame) -> Section:
    strengths = _strengths(rows)
    keys = ["corpus", "encoder", "layer", "head"]
    # Corpora by name, encoders as they were measured: a pivot would sort these by name as well.
    order = strengths.drop_duplicates(keys).sort_values("corpus", kind="stable")[keys]
    every = strengths.pivot(index=keys, columns="pattern", values="mean")
    every = every.loc[pd.MultiIndex.from_frame(order)].reset_index()
    names = {PATTERN + name: title for name, title in PATTERN_TITLES.items()} | SHARES
    columns = ["corpus", "encoder", "pattern", "layer", "head"]
    columns += [*interval_names(value="value"), "same", "texts"]
    return Section(
        "V1: seven patterns",
        "The strength of a pattern is 0 where a head attends to all tokens alike and 1 where it "
        "follows the pattern alone; below 0 it avoids what the pattern asks for. [CLS] and [SEP] "
        "ask nothing here. Words are related where their lemmas are equal (their spelling, where "
        "nothing is annotated). All words of the sentence: the overlap with equal weights on them.",
        (
            heads_figure(
                "surface-patterns",
                "How strongly each head follows each pattern",
                "Layer x head for each pattern and encoder.",
                _panels(strengths, "pattern"),
                "mean",
                "strength",
                panel="panel",
                abreast=rows["encoder"].nunique(),
                tooltip=["panel", "layer", "head", "mean", "low", "high"],
                diverging=True,
                finding=said_of_most(
                    rows, {PATTERN + name: title for name, title in PATTERN_TITLES.items()}, ".2f"
                ),
            ),
            Table(
                "surface-strongest",
                "The strongest head of each pattern, and of attention to each neighbour",
                "Chosen on one half of the texts and scored on the other, mean over divisions into "
                "halves, with the 95% interval of choice and score together. 'layer' and 'head' "
                "are those with most on all texts; 'same' says whether every half chose them. "
                "Patterns have strengths, previous and next token shares of attention.",
                strongest.assign(pattern=_named(strongest["statistic"], names))[columns],
            ),
            Table("surface-patterns", "Every head", "Strength of each pattern.", every),
        ),
    )


def _named(statistics: pd.Series, names: dict[str, str]) -> pd.Series:
    """Titles of statistics; the two that are shares and strengths as well are told apart."""
    titles = statistics.map(names)
    return titles.where(statistics.str.startswith(PATTERN), "share " + titles)


def _sep_heads(rows: pd.DataFrame) -> Section:
    found = rows[rows["cases"] > 0]
    table = found[["corpus", "encoder", "layer", "heads", "texts"]].assign(
        **{"from [SEP] to [SEP]": found["sep_to_sep_sum"] / found["cases"]}
    )
    return Section(
        "C2: where [SEP] looks in heads that attend to [SEP]",
        "Heads that give [SEP] more than the share (setting surface.sep_share) of their attention "
        "on one half of the texts, measured on the other: 'heads' is how many these are, mean over "
        "halves and divisions. Rows of random weights are of the same places. A layer without such "
        "heads has no row.",
        (
            Table(
                "surface-sep-to-sep",
                "Attention from [SEP] to [SEP]",
                "Mean over heads and texts. Without rows no head gives [SEP] so much.",
                table,
            ),
        ),
    )


def _figure_and_table(
    rows: pd.DataFrame,
    titles: dict[str, str],
    title: str,
    name: str,
    unit: str,
    text: str,
    finding: str,
) -> Section:
    cells = rows[rows["statistic"].isin(list(titles))]
    cells = cells.assign(what=cells["statistic"].map(titles))
    keys = ["corpus", "encoder", "layer", "head"]
    order = cells.drop_duplicates(keys)[keys]
    table = cells.pivot(index=keys, columns="what", values="mean")
    table = table.loc[pd.MultiIndex.from_frame(order)].reset_index()
    return Section(
        title,
        text,
        (
            heads_figure(
                f"surface-{name}",
                title.partition(": ")[2].capitalize(),
                f"Layer x head for each encoder; {unit}.",
                _panels(cells, "what"),
                "mean",
                unit,
                panel="panel",
                abreast=rows["encoder"].nunique(),
                tooltip=["panel", "layer", "head", "mean", "low", "high"],
                finding=finding,
            ),
            Table(f"surface-{name}", "Every head", f"{unit.capitalize()}.", table),
        ),
    )


def _panels(cells: pd.DataFrame, column: str) -> pd.DataFrame:
    """A panel a value of the column; corpus and encoder stand before it where there are several.

    Panels of one value stand side by side: those of random weights behind the encoder's.
    """
    panel = cells[column]
    for name in ("encoder", "corpus"):
        if cells[name].nunique() > 1:
            panel = cells[name] + ": " + panel
    cells = cells.assign(panel=panel)
    order = []
    for name in ("corpus", column):
        numbers = {value: number for number, value in enumerate(dict.fromkeys(cells[name]))}
        order.append(cells[name].map(numbers).to_numpy())
    cells = cells.assign(panel=panel).iloc[np.lexsort(order[::-1])]
    return cells.drop(columns=[name for name in cells if name.endswith("_drawn")])


def _layers(rows: pd.DataFrame) -> Section:
    titles = {name: SHARES[name] for name in ("cls", "sep", "punctuation")}
    cells = named(rows[rows["statistic"].isin(list(titles))])
    cells = cells.assign(what=cells["statistic"].map(titles))
    names = interval_names(value="mean")
    points = []
    for (panel, what, layer), own in cells.groupby(["panel", "what", "layer"], sort=False):
        mean = mean_on_same_examples(
            [Estimate.of_row(row, names, int(row["texts"])) for row in own.to_dict("records")]
        )
        place = {"panel": panel, "what": what, "layer": layer}
        points.append(place | {"value": mean.value, "low": mean.low, "high": mean.high})
    return Section(
        "Layer by layer",
        "Mean over the heads of a layer, with its 95% interval over groups of texts.",
        (
            Figure(
                "surface-layers",
                "Attention to special tokens and punctuation",
                "One line a kind of token, one panel a corpus and encoder.",
                curves(
                    pd.DataFrame(points),
                    "layer",
                    "layer",
                    "share of attention",
                    group="what",
                    panel="panel",
                ),
                finding=said_of_layers(rows, titles, ".0%"),
            ),
        ),
    )


PAGE = Page(
    order=20,
    group="Where heads look",
    title="The surface of a text",
    summary="Who looks at neighbours, special tokens, punctuation, equal words, pieces of a word.",
    studies=("C1", "C2", "C4", "V1"),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
