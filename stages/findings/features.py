"""What tuning changes in attention to kinds of tokens (Kovaleva et al. 2019, 4.4 and 4.5)."""

import numpy as np
import pandas as pd

from stages.core.intervals import bootstrap
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Answer, Estimate, mean_of, preferring
from stages.core.verdicts.measures import Measures, NotMeasured

CONTRASTS = "features/{task}-contrast.parquet"
CLS = "features/{task}-cls.parquet"
LINGUISTIC = ("noun", "verb", "pronoun", "subject", "object", "negation")


@measure
def change_in_half(
    measures: Measures, settings: Settings, kind: str, half: str, task: str = ""
) -> Answer:
    """How much more a kind of token gets after tuning, in the lower or upper half of the layers.

    Args:
        half: early or late.
        task: the one that decides; by default all together.
    """
    rows = measures.frame(CONTRASTS)
    rows = rows[rows["kind"] == kind]
    if rows.empty:
        raise NotMeasured(f"no text has {kind} tokens")
    found = {
        name: _mean(own[half].to_numpy(), settings)
        for name, own in rows.groupby("task", sort=False)
    }
    if task:
        return preferring(task, found, otherwise=None)
    return Answer(mean_of(list(found.values())), found)


@measure
def special_beside_linguistic(measures: Measures, settings: Settings) -> Answer:
    """Change by tuning of [CLS] and [SEP], mean, minus that of the kind of words that changes most.

    Absolute changes, mean over heads, of examples that have both.
    """
    rows = measures.frame(CONTRASTS)
    found = {}
    for task, own in rows.groupby("task", sort=False):
        table = own.pivot(index="id", columns="kind", values="change")
        kinds = [kind for kind in LINGUISTIC if kind in table]
        if not kinds or not {"cls", "sep"} <= set(table):
            continue
        most = max(kinds, key=lambda kind, table=table: table[kind].mean())
        both = table[["cls", "sep", most]].dropna()
        gain = (both["cls"] + both["sep"]) / 2 - both[most]
        found[task] = _mean(gain.to_numpy(), settings)
    if not found:
        raise NotMeasured("the texts of no task are annotated; name a treebank under `tagger`")
    return Answer(mean_of(list(found.values())), found)


@measure
def cls_looks_at_sep(measures: Measures, settings: Settings) -> Answer:
    """Tasks on which [CLS] of the tuned encoder's last layer gives most to [SEP], as a share."""
    rows = measures.frame(CLS)
    rows = rows[(rows["arm"] == "pretrained") & rows["kind"].isin(["cls", "sep", *LINGUISTIC])]
    found = {task: _first_is_sep(own) for task, own in rows.groupby("task", sort=False)}
    value, low, high = (
        np.mean([getattr(one, name) for one in found.values()]) for name in ("value", "low", "high")
    )
    return Answer(Estimate(value, low, high, len(found)), found, "tasks")


def _first_is_sep(shares: pd.DataFrame) -> Estimate:
    """1 where [SEP] has the largest share; the interval says whether that could be otherwise."""
    sep = shares[shares["kind"] == "sep"].iloc[0]
    others = shares[shares["kind"] != "sep"]
    return Estimate(
        float(sep["share"] > others["share"].max()),
        float(sep["low"] > others["high"].max()),
        float(sep["high"] > others["low"].max()),
        1,
    )


def _mean(values: np.ndarray, settings: Settings) -> Estimate:
    interval = bootstrap(
        lambda some: np.mean(some, axis=-1), (values,), settings.resamples, settings.seed
    )
    return Estimate.of(interval, len(values))
