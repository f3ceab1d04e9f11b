"""How frequent each pattern is (Kovaleva et al. 2019, section 4.1, Figure 2)."""

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.kinds import Dots, Grid, HeadGrid, Shares
from stages.core.tables import Table
from stages.core.verdicts.measures import Measures
from stages.patterns.tables import ANY, BEYOND, CORRECTED, PATTERNS_OF_HEADS, SHARES, SPECIAL

RULES = (
    "The classifier gives every map one of the five patterns. It sees no words: any stripe is "
    "Vertical to it (rule any). Under the rule special, the source's, a stripe lies on [CLS] or "
    "[SEP]; a map that attends mostly elsewhere is Heterogeneous. The limits are patterns.special "
    "in params.yaml. Claims are decided under the rule special."
)


def over_tasks(measures: Measures) -> pd.DataFrame:
    """One row an arm, head and pattern: the share of the head's maps over all tasks."""
    rows = measures.rows(PATTERNS_OF_HEADS.where(rule=SPECIAL, arm=["tuned", "random_weights"]))
    keys = ["arm", "layer", "head"]
    maps = rows.groupby([*keys, "pattern"], sort=False)["maps"].sum()
    return (maps / maps.groupby(keys).transform("sum")).rename("share").reset_index()


def main_pattern(measures: Measures) -> pd.DataFrame:
    """One row an arm and head: the pattern that most of its maps have, over all tasks."""
    rows = over_tasks(measures)
    return rows.loc[rows.groupby(["arm", "layer", "head"], sort=False)["share"].idxmax()]


def sections(shares: Table, beyond: Table, prefix: str) -> tuple[Section, ...]:
    """Shares of the patterns, and the attention that needs no labels."""
    return (
        Section(
            "K3: share of each pattern",
            RULES,
            (
                *(
                    Shares(
                        f"{prefix}-shares-{rule}",
                        f"Share of each pattern (rule {rule})",
                        shares.where(rule=rule),
                        "share",
                        kind="pattern",
                    )
                    for rule in (SPECIAL, ANY)
                ),
                Grid(f"{prefix}-shares", "Shares", shares),
            ),
        ),
        Section(
            "Attention beyond [CLS], [SEP] and neighbours",
            "A figure that needs neither labels nor a classifier: the share of a head's attention "
            "that goes to other tokens than [CLS], [SEP] and a token's neighbours (setting "
            "patterns.special.neighbours to either side). Heterogeneous maps have much of it.",
            (
                HeadGrid(f"{prefix}-beyond", "Every head", beyond, "beyond"),
                Grid(f"{prefix}-beyond", "Every head", beyond),
            ),
        ),
    )


def corrected_section(corrected: Table, labels: str, prefix: str) -> Section:
    """The shares if the classifier confuses all maps as it does labelled ones."""
    return Section(
        "Shares corrected for the classifier's mistakes",
        f"{labels} A class without a labelled map counts as always recognised.",
        (
            Dots(
                f"{prefix}-corrected",
                "Corrected shares",
                corrected,
                "corrected",
                label=("pattern", "data", "rule"),
                rival="share",
                rival_title="share of predictions",
            ),
            Grid(f"{prefix}-corrected", "Corrected shares", corrected),
        ),
    )


PAGE = Page(
    title="Patterns of attention",
    summary="How frequent each pattern is on each task and in each head.",
    group="Where heads look",
    order=4,
    studies=("K3",),
    content=(
        *sections(SHARES, BEYOND, "patterns"),
        corrected_section(
            CORRECTED,
            "The labelled maps were drawn by chance, and the classifier did not see them. Under "
            "the rule special no map of these encoders is labelled.",
            "patterns",
        ),
        Section(
            "Patterns of each head",
            "How the maps of each head divide among the patterns, over all tasks (rule special).",
            (
                HeadGrid(
                    "patterns-heads",
                    "Share of each head's maps with each pattern",
                    over_tasks,
                    "share",
                    panel=("pattern",),
                    of=PATTERNS_OF_HEADS.values["share"],
                ),
                Grid("patterns-heads", "Every head", PATTERNS_OF_HEADS),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "share of its main pattern",
            main_pattern,
            "share",
            join="first",
            show={"pattern": "pattern"},
            of=PATTERNS_OF_HEADS.values["share"],
            text="The pattern that most of the head's maps have, over all tasks (rule special).",
        ),
    ),
)
