"""What a head's page shows of its role: how strongly it follows each of Vig's patterns."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.pages.said import listed, measured
from stages.core.pages.titles import PATTERN_TITLES
from stages.core.verdicts.measures import Measures, studied
from stages.surface.tables import HEADS, PATTERN


def rows(measures: Measures) -> pd.DataFrame:
    """One row a corpus, encoder, head and pattern, the strongest first."""
    table = studied(measures.frame(HEADS))
    own = table[table["statistic"].str.startswith(PATTERN)]
    roles = own["statistic"].str.removeprefix(PATTERN).map(PATTERN_TITLES)
    shown = own.assign(role=roles)[
        ["layer", "head", "corpus", "encoder", "role", "mean", "low", "high", "texts"]
    ]
    order = shown.sort_values("mean", ascending=False, kind="stable").index
    shown = shown.loc[order].sort_values("corpus", kind="stable")
    return shown.rename(columns={"mean": "strength", "encoder": "model"})


def said(rows: pd.DataFrame) -> str:
    """The pattern that it follows most on each corpus, where it follows one at all."""
    return " ".join(
        f"On {corpus} {_strongest(own)}." for corpus, own in rows.groupby("corpus", sort=False)
    )


def _strongest(rows: pd.DataFrame) -> str:
    rows = rows[rows["strength"].notna()]
    most = rows["strength"].max()
    # A mean below 0, and none at all (NaN), are no pattern that is followed.
    if not most > 0:
        return "it follows none of seven patterns more than equal attention to all tokens would"
    first = rows[rows["strength"] == most]
    row = first.iloc[0]
    strength = measured(row["strength"], row["low"], row["high"], ".2f")
    return f"it follows most: {listed(first['role'])}, with a strength of {strength}"


FACTS = (
    HeadFacts(
        "surface",
        2,
        "Roles",
        "How strongly it follows each of seven patterns: 0 where it attends to all tokens alike, 1 "
        "where it follows the pattern alone, with a 95% interval over texts.",
        rows,
        said,
    ),
)
