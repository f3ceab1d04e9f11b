"""What heads look at on the surface (Clark et al. 2019, sections 3.1 to 3.3; Vig 2019)."""

from collections.abc import Callable, Mapping

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import joined, layer_means
from stages.core.pages.kinds import Curves, Dots, Grid, HeadGrid
from stages.core.pages.titles import PATTERN_TITLES
from stages.core.tables import Value, name
from stages.core.verdicts.measures import Measures
from stages.surface.tables import HEADS, PATTERN, SEP_HEADS, STRONGEST

PATTERNS = {PATTERN + pattern: title for pattern, title in PATTERN_TITLES.items()}
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
LAYERS = {statistic: SHARES[statistic] for statistic in ("cls", "sep", "punctuation")}
STRENGTH = Value("strength", bounds=(None, 1))
SHARE = Value("share of attention", "share", ".0%", (0, 1))
ENTROPY = Value("entropy", "nats", ".1f", (0, None))
KEYS = ["data", "arm", "layer", "head"]


def statistics_of_heads(titles: Mapping[str, str]) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns the rows of some statistics; random weights stand beside each."""

    def rows(measures: Measures) -> pd.DataFrame:
        cells = joined(measures, HEADS.where(statistic=list(titles)), "amount")
        panels = [
            of_data[of_data["statistic"] == statistic]
            for _, of_data in cells.groupby("data", sort=False)
            for statistic in titles
        ]
        cells = pd.concat(panels, ignore_index=True)
        return cells.assign(statistic=cells["statistic"].map(titles))

    return rows


def wide(titles: Mapping[str, str]) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns one row a head with a column for each statistic."""

    def rows(measures: Measures) -> pd.DataFrame:
        cells = statistics_of_heads(titles)(measures)
        table = cells.pivot_table(index=KEYS, columns="statistic", values="amount", sort=False)
        return table.reset_index()

    return rows


def of_layers(measures: Measures) -> pd.DataFrame:
    """The mean over the heads of each layer: attention to special tokens and punctuation."""
    means = layer_means(measures, HEADS.where(statistic=list(LAYERS)), "amount")
    return means.assign(statistic=means["statistic"].map(LAYERS))


def separators(measures: Measures) -> pd.DataFrame:
    """The attention from [SEP] to [SEP] in each layer that has heads that attend to [SEP]."""
    rows = measures.rows(SEP_HEADS)
    rows = rows[rows["cases"] > 0]
    shares = rows["sep_to_sep_sum"] / rows["cases"]
    return rows[["data", "arm", "layer", "heads", "texts"]].assign(sep_to_sep=shares)


def roles(measures: Measures) -> pd.DataFrame:
    """How strongly each head follows each pattern, the strongest first."""
    cells = statistics_of_heads(PATTERNS)(measures)
    order = {"by": ["layer", "head", "amount"], "ascending": [True, True, False]}
    cells = pd.concat(
        of_arm.sort_values(**order) for _, of_arm in cells.groupby(["data", "arm"], sort=False)
    )
    return cells.rename(columns={"statistic": "role"})


def statistic_in_words(statistic: str) -> str:
    """The title of a statistic; two are shares as well as patterns."""
    return PATTERNS.get(statistic) or f"share {SHARES[statistic]}"


def grid(stem: str, title: str, titles: Mapping[str, str], value: Value) -> tuple[HeadGrid, Grid]:
    """A figure and a table of every head for some statistics."""
    return (
        HeadGrid(
            f"surface-{stem}",
            title,
            statistics_of_heads(titles),
            "amount",
            of=value,
            panel=("statistic",),
            abreast=2,
        ),
        Grid(f"surface-{stem}", "Every head", wide(titles), caption=f"{value.heading}."),
    )


PAGE = Page(
    title="The surface of a text",
    summary="Who looks at neighbours, special tokens, punctuation, equal words, pieces of a word.",
    group="Where heads look",
    order=20,
    studies=("C1", "C2", "C4", "V1"),
    content=(
        Section(
            "V1: seven patterns",
            "The strength of a pattern is 0 if a head attends to all tokens alike and 1 if it "
            "follows the pattern alone; below 0 the head avoids it. [CLS] and [SEP] are left out "
            "as queries. Words are related if their lemmas are equal (their spelling, if nothing "
            "is annotated). 'All words of the sentence' is the overlap with equal weights on them.",
            (
                Dots(
                    "surface-strongest",
                    "The strongest head of each pattern, held out",
                    STRONGEST.where(statistic=list(PATTERNS)),
                    "score",
                    of=STRENGTH,
                    label=("statistic",),
                    words=statistic_in_words,
                    caption="Heads are selected on one half of the texts and scored on the other.",
                ),
                Grid(
                    "surface-strongest",
                    "The strongest heads",
                    STRONGEST,
                    words={"statistic": PATTERNS | {s: f"share {t}" for s, t in SHARES.items()}},
                    caption="The score is held out: the mean over divisions of the texts into "
                    "halves, with the 95% interval of selection and score. Layer and head are "
                    "those with most on all texts.",
                ),
                *grid("patterns", "Strength of each pattern", PATTERNS, STRENGTH),
            ),
        ),
        Section(
            "C1, C2: neighbours, special tokens and punctuation",
            "Mean over the tokens of a text, then over texts.",
            (
                Dots(
                    "surface-neighbours",
                    "The head with most attention to each neighbour, held out",
                    STRONGEST.where(statistic=["previous", "next"]),
                    "score",
                    of=SHARE,
                    label=("statistic",),
                    words=statistic_in_words,
                    bound=0.5,
                ),
                *grid("shares", "Attention to kinds of tokens", SHARES, SHARE),
            ),
        ),
        Section(
            "C2: where [SEP] looks in heads that attend to [SEP]",
            "Heads that give [SEP] more than the share surface.sep_share on one half of the texts "
            "are measured on the other. 'heads' counts them, mean over halves and divisions. "
            "Random weights are measured at the same places. A layer without these heads has no "
            "row.",
            (
                Grid(
                    "surface-sep-to-sep",
                    "Attention from [SEP] to [SEP]",
                    separators,
                    titles={"sep_to_sep": "from [SEP] to [SEP]"},
                    caption="Mean over heads and texts.",
                ),
            ),
        ),
        Section(
            "C4: how broad attention is",
            "Entropy of what a token attends to: 0 for one token, the logarithm of the length for "
            "equal weights.",
            grid("entropy", "Entropy of attention", ENTROPIES, ENTROPY),
        ),
        Section(
            "Layer by layer",
            "Mean over the heads of a layer, with its 95% interval over groups of texts.",
            (
                Curves(
                    "surface-layers",
                    "Attention to special tokens and punctuation",
                    of_layers,
                    "amount",
                    of=SHARE,
                    line="statistic",
                    panel=("data", "arm"),
                ),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "surface role",
            roles,
            "role",
            join="first",
            show={
                "amount": "strength of its role",
                "amount_low": "strength of its role, low",
                "amount_high": "strength of its role, high",
            },
            of=name("role"),
            text="How strongly the head follows each of seven patterns: 0 for equal attention to "
            "all tokens, 1 for the pattern alone, with a 95% interval over texts.",
        ),
    ),
)
