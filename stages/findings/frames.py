"""Heads that link predicates and frame elements (Kovaleva et al. 2019, sections 4.2 and 4.6)."""

import pandas as pd

from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Answer, Estimate, first_of
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.findings.learnt import of_learnt_tasks

HEADS = "frames/{corpus}.parquet"
BEST = "frames/{corpus}-best.parquet"
GATES = "effects/{task}-{seed}.parquet"
SIGNIFICANCE = 0.05


@measure
def frame_link(measures: Measures, settings: Settings) -> Answer:
    """What the best head gives to linked tokens beyond tokens as far apart, held out."""
    rows = studied(measures.frame(BEST))
    found = {
        row["corpus"]: Estimate(row["value"], row["low"], row["high"], row["cases"])
        for row in rows.to_dict("records")
    }
    return first_of(found, "texts")


@measure
def frame_heads(measures: Measures, settings: Settings, weight: float) -> Answer:
    """Heads whose mean weight on linked tokens is above a bound."""

    def count(heads: pd.DataFrame) -> Estimate:
        above = [(heads[column] > weight).sum() for column in ("weight", "low", "high")]
        return Estimate(*above, len(heads))

    rows = studied(measures.frame(HEADS))
    found = {corpus: count(heads) for corpus, heads in rows.groupby("corpus", sort=False)}
    return first_of(found, "heads")


@measure
def frame_heads_off(measures: Measures, settings: Settings, heads: int) -> Answer:
    """On how many tasks one of the heads with the largest weights matters when it is off.

    It matters where the metric changes significantly (Holm over all heads of the task).
    """
    weights = studied(measures.frame(HEADS))
    corpus = weights["corpus"].iloc[0]
    own = weights[weights["corpus"] == corpus].nlargest(heads, "weight")
    places = set(zip(own["layer"], own["head"], strict=True))
    rows = of_learnt_tasks(measures, GATES)
    rows = rows[(rows["family"] == "head") & (rows["mode"] == "uniform")]
    chosen = rows[[place in places for place in zip(rows["layer"], rows["head"], strict=True)]]
    if chosen.empty:
        raise NotMeasured("no task was run with these heads off")
    tasks = {
        task: _matters(gates, SIGNIFICANCE) for task, gates in chosen.groupby("task", sort=False)
    }
    total = [sum(getattr(one, name) for one in tasks.values()) for name in ("value", "low", "high")]
    return Answer(Estimate(*total, len(tasks)), tasks, "tasks")


def _matters(gates: pd.DataFrame, significance: float) -> Estimate:
    """1 where an effect is significant; the interval says whether it would be uncorrected."""
    corrected = float((gates["p_holm"] < significance).any())
    uncorrected = float((gates["p"] < significance).any())
    return Estimate(corrected, corrected, max(corrected, uncorrected), len(gates))
