"""What heads look at on the surface (Clark et al. 2019, sections 3.1 to 3.3; Vig 2019)."""

import pandas as pd

from stages.core.pages.charts import curves
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, named, of_first_corpus, studied
from stages.surface.tables import HEADS, PATTERN

PATTERN_TITLES = {
    "next": "next token",
    "previous": "previous token",
    "related": "same or related word",
    "related_other": "same or related word of the other text",
    "pieces": "other pieces of the word",
    "delimiter": "[CLS] and [SEP]",
    "sentence": "all words of the sentence",
}
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
    rows = measures.frame(HEADS)
    own = studied(rows)
    return [
        _patterns(rows, own),
        _figure_and_table(
            own,
            SHARES,
            "C1, C2: neighbours, special tokens and punctuation",
            "shares",
            "share of attention",
            "Mean over the tokens of a text, then over texts.",
        ),
        _figure_and_table(
            own,
            ENTROPIES,
            "C4: how broad attention is",
            "entropy",
            "nats",
            "Entropy of what a token attends to: 0 for one token, the logarithm of the length for "
            "all alike.",
        ),
        _layers(rows),
    ]


def heads(measures: Measures) -> pd.DataFrame:
    """The pattern that each head follows most, and its strength, on the first corpus."""
    own = _strengths(of_first_corpus(measures.frame(HEADS)))
    best = own.loc[own.groupby(["layer", "head"])["mean"].idxmax()].set_index(["layer", "head"])
    return pd.DataFrame({"surface role": best["pattern"], "its strength": best["mean"]})


def _strengths(rows: pd.DataFrame) -> pd.DataFrame:
    own = rows[rows["statistic"].str.startswith(PATTERN)]
    return own.assign(pattern=own["statistic"].str.removeprefix(PATTERN).map(PATTERN_TITLES))


def _patterns(rows: pd.DataFrame, own: pd.DataFrame) -> Section:
    strengths = _strengths(named(rows))
    places = strengths.groupby(["panel", "pattern"], sort=False)["mean"].idxmax()
    strongest = strengths.loc[places]
    columns = ["corpus", "encoder", "pattern", "layer", "head", "mean", "low", "high", "texts"]
    keys = ["corpus", "encoder", "layer", "head"]
    # Corpora by name, encoders as they were measured: a pivot would sort these by name as well.
    order = strengths.drop_duplicates(keys).sort_values("corpus", kind="stable")[keys]
    every = strengths.pivot(index=keys, columns="pattern", values="mean")
    every = every.loc[pd.MultiIndex.from_frame(order)].reset_index()
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
                "Layer x head for each pattern.",
                _panels(_strengths(own), "pattern"),
                "mean",
                "strength",
                panel="panel",
                tooltip=["panel", "layer", "head", "mean", "low", "high"],
                diverging=True,
            ),
            Table(
                "surface-strongest",
                "The head that follows each pattern most",
                "With its 95% interval over groups of texts, which does not allow for the choice "
                "among heads; random weights beside it.",
                strongest[columns],
            ),
            Table("surface-patterns", "Every head", "Strength of each pattern.", every),
        ),
    )


def _figure_and_table(
    own: pd.DataFrame, titles: dict[str, str], title: str, name: str, unit: str, text: str
) -> Section:
    cells = own[own["statistic"].isin(list(titles))]
    cells = cells.assign(what=cells["statistic"].map(titles))
    table = cells.pivot(index=["corpus", "layer", "head"], columns="what", values="mean")
    return Section(
        title,
        text,
        (
            heads_figure(
                f"surface-{name}",
                title.partition(": ")[2].capitalize(),
                f"Layer x head; {unit}.",
                _panels(cells, "what"),
                "mean",
                unit,
                panel="panel",
                tooltip=["panel", "layer", "head", "mean", "low", "high"],
            ),
            Table(f"surface-{name}", "Every head", f"{unit.capitalize()}.", table.reset_index()),
        ),
    )


def _panels(cells: pd.DataFrame, column: str) -> pd.DataFrame:
    """A panel a value of the column; the corpus stands before it where there are several."""
    if cells["corpus"].nunique() == 1:
        return cells.assign(panel=cells[column])
    return cells.assign(panel=cells["corpus"] + ": " + cells[column])


def _layers(rows: pd.DataFrame) -> Section:
    titles = {name: SHARES[name] for name in ("cls", "sep", "punctuation")}
    cells = named(rows[rows["statistic"].isin(list(titles))])
    cells = cells.assign(what=cells["statistic"].map(titles))
    points = (
        cells.groupby(["panel", "what", "layer"], sort=False)[["mean", "low", "high"]]
        .mean()
        .reset_index()
        .rename(columns={"mean": "value"})
    )
    return Section(
        "Layer by layer",
        "Mean over the heads of a layer; the band is the mean of their 95% intervals, the widest "
        "that any dependence between heads can call for.",
        (
            Figure(
                "surface-layers",
                "Attention to special tokens and punctuation",
                "One line a kind of token, one panel a corpus and encoder.",
                curves(points, "layer", "layer", "share of attention", group="what", panel="panel"),
            ),
        ),
    )


PAGE = Page(
    order=20,
    title="The surface of a text",
    summary="Who looks at neighbours, special tokens, punctuation, equal words, pieces of a word.",
    studies=("C1", "C2", "C4", "V1"),
    sections=sections,
    heads=heads,
)
