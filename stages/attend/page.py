"""Where the heads look: statistics of all maps (Clark et al. 2019, sections 3.1 to 3.3)."""

import pandas as pd

from stages.attend.tables import HEADS
from stages.core.pages.page import Page, Section, Table, heads_figure
from stages.core.pages.said import ARMS, beside, counted, top_heads
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, UNTUNED
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
# Whose attention it is a mean of, where not of all tokens.
ALL_TOKENS = "Mean over the tokens of an example"
OF_TOKENS = {
    "sep_to_sep": "Of the [SEP] of an example, their mean",
    "cls_entropy": "Of the [CLS] of an example alone",
}
UNITS = {"entropy": "nats", "cls_entropy": "nats", "distance": "tokens"}
HALF = 0.5


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


def in_short(measures: Measures) -> list[str]:
    cells = means(measures)
    said = [
        said_of_most(cells, {"cls": "[CLS]", "sep": "[SEP]"}),
        said_of_most(cells, {"previous": "the previous token", "next": "the next token"}),
    ]
    entropy = cells[cells["statistic"] == "entropy"].groupby("arm", sort=False)["value"].mean()
    if len(entropy):
        said.append(
            f"The entropy of a head's attention is on average {beside(entropy, '.2f', 'nats')}."
        )
    return [sentence for sentence in said if sentence]


def said_of_most(cells: pd.DataFrame, kinds: dict[str, str]) -> str:
    """How many heads give most of their attention to a kind, beside those of random weights.

    Args:
        kinds: statistics, with what they are attention to.
    """
    arm = shown_arm(cells)
    counts = (cells["value"] > HALF).groupby([cells["statistic"], cells["arm"]]).sum()
    total = len(cells[cells["arm"] == arm].drop_duplicates(["layer", "head"]))
    parts = []
    for statistic, name in kinds.items():
        if (statistic, arm) not in counts:
            continue
        control = counts.get((statistic, RANDOM_WEIGHTS))
        count = counts[statistic, arm]
        gives = {0: "none gives more than half of its", 1: "1 gives more than half of its"}
        said = f"{gives.get(count, f'{count} give more than half of their')} attention to {name}"
        parts.append(said if control is None else f"{said} (random weights: {control})")
    return f"Of {counted(total, 'head')} of {ARMS[arm]} {' and '.join(parts)}." if parts else ""


def shown_arm(cells: pd.DataFrame) -> str:
    """The arm that sentences are about: the tuned encoder where there is one."""
    arms = set(cells["arm"])
    return TUNED if TUNED in arms else UNTUNED if UNTUNED in arms else cells["arm"].iloc[0]


def finding(cells: pd.DataFrame, unit: str) -> str:
    """The highest head of one statistic, and the mean over heads of each arm."""
    arm = shown_arm(cells)
    own = cells[cells["arm"] == arm]
    if own["value"].isna().all():
        return ""
    means = cells.groupby("arm", sort=False)["value"].mean()
    unit = unit if unit in UNITS.values() else ""
    return (
        f"Highest of {ARMS[arm]}: {top_heads(own, 'value', '.2f', unit=unit)}. Mean over heads: "
        f"{beside(means, '.2f', unit)}."
    )


def _section(cells: pd.DataFrame, name: str) -> Section:
    title, unit = TITLES.get(name, name), UNITS.get(name, "share of attention")
    table = cells.pivot(index=["layer", "head"], columns="model", values="value").reset_index()
    return Section(
        title,
        f"{OF_TOKENS.get(name, ALL_TOKENS)}, then over examples and tasks; {unit}.",
        (
            heads_figure(
                f"attend-{name}",
                f"{title}, before and after tuning, and with random weights",
                f"Layer x head of the untuned and the tuned encoder and of random weights; {unit}.",
                cells,
                "value",
                unit,
                panel="model",
                finding=finding(cells, unit),
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
    in_short=in_short,
)
