"""What tuning changes in attention to kinds of tokens (Kovaleva et al. 2019, 4.4 and 4.5)."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stages.core.intervals.intervals import bootstrap
from stages.core.stage.arms import TUNED
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of, mean_of
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.features.tables import CLS, CONTRASTS

LINGUISTIC = ("noun", "verb", "pronoun", "subject", "object", "negation")


@measure
def early_less_late(measures: Measures, settings: Settings, kind: str, sign: int) -> Answer:
    """What tokens of a kind get in the lower half of the layers of the tuned encoder, less the
    upper half; with the sign -1 the other way round. Mean over tasks."""

    def difference(own: pd.DataFrame) -> np.ndarray:
        return sign * (own["early"] - own["late"]).to_numpy()

    return _mean_over_tasks(_of_kind(measures, kind), difference, settings)


@measure
def change_in_half(measures: Measures, settings: Settings, kind: str, half: str) -> Answer:
    """How much more a kind of token gets after tuning, in the lower or upper half of the layers.

    Args:
        half: early or late.
    """
    rows = _of_kind(measures, kind)
    return _mean_over_tasks(rows, lambda own: own[f"{half}_change"].to_numpy(), settings)


@measure
def task_over_others(measures: Measures, settings: Settings, kind: str, task: str) -> Answer:
    """What tokens of a kind get from the encoder tuned on one task, less the mean of the others."""
    found = {
        str(name): _mean(own["share"].to_numpy(), settings)
        for name, own in _of_kind(measures, kind).groupby("task", sort=False)
    }
    others = [estimate for name, estimate in found.items() if name != task]
    if task not in found or not others:
        raise NotMeasured(f"the claim is about the task {task} beside others")
    return Answer(difference_of(found[task], mean_of(others)), found)


@measure
def special_over_words(measures: Measures, settings: Settings, column: str) -> Answer:
    """[CLS] and [SEP], mean, less the kind of words that has most, of examples that have all three.

    Args:
        column: share (what it gets from the tuned encoder) or change (by tuning, absolute).
    """
    rows = measures.frame(CONTRASTS)
    found = {}
    for task, own in rows.groupby("task", sort=False):
        table = own.pivot(index="id", columns="kind", values=column)
        kinds = [kind for kind in LINGUISTIC if kind in table]
        if not kinds or not {"cls", "sep"} <= set(table):
            continue
        most = max(kinds, key=lambda kind, table=table: table[kind].mean())
        both = table[["cls", "sep", most]].dropna()
        gain = (both["cls"] + both["sep"]) / 2 - both[most]
        found[str(task)] = _mean(gain.to_numpy(), settings)
    if not found:
        raise NotMeasured("the texts of no task are annotated; name a treebank under `tagger`")
    return Answer(mean_of(list(found.values())), found)


@measure
def cls_looks_at_sep(measures: Measures, settings: Settings) -> Answer:
    """Tasks on which [CLS] of the tuned encoder's last layer gives most to [SEP], as a share."""
    rows = measures.frame(CLS)
    rows = rows[(rows["arm"] == TUNED) & rows["kind"].isin(["cls", "sep", *LINGUISTIC])]
    found = {task: _first_is_sep(own) for task, own in rows.groupby("task", sort=False)}
    value, low, high = (
        np.mean([getattr(one, name) for one in found.values()]) for name in ("value", "low", "high")
    )
    return Answer(Estimate(value, low, high, len(found)), found, "tasks")


def _of_kind(measures: Measures, kind: str) -> pd.DataFrame:
    rows = measures.frame(CONTRASTS)
    rows = rows[rows["kind"] == kind]
    if rows.empty:
        raise NotMeasured(f"no text has {kind} tokens")
    return rows


def _mean_over_tasks(
    rows: pd.DataFrame, values: Callable[[pd.DataFrame], np.ndarray], settings: Settings
) -> Answer:
    found = {
        str(task): _mean(values(own), settings) for task, own in rows.groupby("task", sort=False)
    }
    return Answer(mean_of(list(found.values())), found)


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
