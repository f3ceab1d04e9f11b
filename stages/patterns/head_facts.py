"""What a head's page shows of patterns: that of most of its maps, on each task and corpus."""

from contextlib import suppress

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.pages.said import counted, listed
from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.patterns.tables import HEADS, SPECIAL, TEXT_HEADS

KEYS = ["data", "model", "layer", "head"]


def rows(measures: Measures) -> pd.DataFrame:
    """The commonest pattern of each head on each task and corpus, and its share of the maps."""
    parts = []
    with suppress(NotMeasured):
        counts = measures.frame(HEADS).rename(columns={"task": "data", "arm": "model"})
        counts = counts[counts["rule"] == SPECIAL]
        share = counts["maps"] / counts.groupby(KEYS)["maps"].transform("sum")
        parts.append(counts.assign(share=share))
    with suppress(NotMeasured):
        texts = measures.frame(TEXT_HEADS).rename(columns={"corpus": "data", "encoder": "model"})
        parts.append(texts[texts["rule"] == SPECIAL])
    if not parts:
        raise NotMeasured("no map was classified")
    return commonest(pd.concat(parts, ignore_index=True))


def commonest(shares: pd.DataFrame) -> pd.DataFrame:
    """One row a head of each data and model: its commonest pattern; of equal ones all are named."""
    found = []
    for place, own in shares.groupby(KEYS, sort=False):
        most = own["share"].max()
        names = own.loc[own["share"] == most, "pattern"]
        found.append((*place, " or ".join(names), most))
    return pd.DataFrame(found, columns=[*KEYS, "pattern", "share of its maps"])


def said(rows: pd.DataFrame) -> str:
    """Which pattern is the commonest on how many tasks and corpora; random weights are left out."""
    own = rows[rows["model"] != RANDOM_WEIGHTS]
    if own.empty:
        return ""
    counts = own["pattern"].value_counts()
    parts = [f"{pattern} in {count}" for pattern, count in counts.items()]
    sets = counted(len(own), "set", "sets")
    return f"The commonest pattern of its maps is, of {sets} of maps, {listed(parts)}."


FACTS = (
    HeadFacts(
        "patterns",
        1,
        "Pattern of its maps",
        "The pattern that most of the head's maps have, under the rule special (a stripe is one on "
        "[CLS] or [SEP]), and its share of them.",
        rows,
        said,
    ),
)
