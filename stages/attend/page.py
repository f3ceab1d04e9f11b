"""Where the heads look: statistics of all maps (Clark et al. 2019, sections 3.1 to 3.3)."""

import pandas as pd

from stages.attend.tables import HEADS
from stages.core.pages.page import Page, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.verdicts.measures import Measures

TITLES = {
    "cls": "Attention to [CLS]",
    "sep": "Attention to [SEP]",
    "sep_to_sep": "Attention from [SEP] to [SEP]",
    "punctuation": "Attention to punctuation",
    "previous": "Attention to the previous token",
    "next": "Attention to the next token",
    "current": "Attention to the token itself",
    "entropy": "Entropy of attention",
    "cls_entropy": "Entropy of the attention of [CLS]",
    "distance": "Mean distance to what is attended to",
}
UNITS = {"entropy": "nats", "cls_entropy": "nats", "distance": "tokens"}


def sections(measures: Measures) -> list[Section]:
    cells = means(measures)
    names = list(cells["statistic"].unique())
    return [_section(cells[cells["statistic"] == name], name) for name in names]


def means(measures: Measures) -> pd.DataFrame:
    """One row an arm, layer, head and statistic: the mean over the tasks."""
    table = measures.frame(HEADS)
    keys = ["arm", "statistic", "layer", "head"]
    cells = table.groupby(keys, sort=False)["mean"].mean().rename("value").reset_index()
    return cells.assign(model=cells["arm"])


def heads(measures: Measures) -> pd.DataFrame:
    """The shares of attention of the tuned encoder."""
    cells = means(measures)
    tuned = cells[(cells["model"] == TUNED) & ~cells["statistic"].isin(list(UNITS))]
    table = tuned.pivot(index=["layer", "head"], columns="statistic", values="value")
    return table[tuned["statistic"].unique()].rename(columns=TITLES)


def _section(cells: pd.DataFrame, name: str) -> Section:
    title, unit = TITLES.get(name, name), UNITS.get(name, "share of attention")
    table = cells.pivot(index=["layer", "head"], columns="model", values="value").reset_index()
    return Section(
        title,
        f"Mean over the tokens of an example, then over examples and tasks; {unit}.",
        (
            heads_figure(
                f"attend-{name}",
                f"{title}, before and after tuning, and with random weights",
                f"Layer x head of the untuned and the tuned encoder and of random weights; {unit}.",
                cells,
                "value",
                unit,
                panel="model",
            ),
            Table(f"attend-{name}", "Every head", f"{title}, {unit}.", table),
        ),
    )


PAGE = Page(
    order=2,
    group="Where heads look",
    title="Where heads look",
    summary="Attention to special tokens, neighbours and punctuation, and how broad it is.",
    studies=(),
    sections=sections,
    heads=heads,
)
