"""How well the pattern classifier does, and how frequent each pattern is.

Kovaleva et al. 2019, section 4.1 and Figure 2.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stages.core.claims import Settings, measure, summary
from stages.core.estimates import Answer, Estimate, largest, smallest
from stages.core.intervals import bootstrap
from stages.core.measures import Measures, NotMeasured

FOLDS = "classifier/folds.parquet"
SHARES = "patterns/{task}-{arm}-shares.parquet"


@measure
def pattern_f1(measures: Measures, settings: Settings, average: str, model: str) -> Answer:
    """F1 of a model over all maps, each predicted by the one that did not see its fold."""
    return _on_folds(measures, settings, lambda label, own: _f1(label, own, average), model)


@measure
def pattern_f1_over_baseline(measures: Measures, settings: Settings, model: str) -> Answer:
    """Weighted F1 of a model minus that of the classifier on simple features."""

    def gain(label: np.ndarray, own: np.ndarray, baseline: np.ndarray) -> np.ndarray:
        return _f1(label, own, "weighted") - _f1(label, baseline, "weighted")

    return _on_folds(measures, settings, gain, model, "baseline")


@measure
def pattern_share(measures: Measures, settings: Settings, pattern: str, which: str) -> Answer:
    """Share of a pattern among all maps of a tuned encoder, on the task where it is `which`."""
    rows = measures.frame(SHARES)
    rows = rows[(rows["arm"] == "pretrained") & (rows["pattern"] == pattern)]
    if rows.empty:
        raise NotMeasured(f"no tuned encoder has a share of the pattern {pattern}")
    shares = {
        row["task"]: Estimate(row["share"], row["low"], row["high"], row["examples"])
        for _, row in rows.iterrows()
    }
    combine = {"smallest": smallest, "largest": largest}[which]
    return Answer(combine(list(shares.values())), shares)


@summary("classifier")
def classifier_scores(measures: Measures) -> dict:
    """Weighted and macro F1 of the network, of its deep path alone and of the baseline."""
    folds = measures.frame(FOLDS)
    table = {}
    for model in ("network", "deep_path", "baseline"):
        label, predicted = _codes(folds, "label", model)
        table[model] = {
            f"{average}_f1": float(_f1(label, predicted, average))
            for average in ("weighted", "macro")
        }
    return table


@summary("patterns")
def shares(measures: Measures) -> dict:
    """Share of each pattern for each task, in the tuned encoder."""
    table: dict = {}
    for row in measures.frame(SHARES).to_dict("records"):
        if row["arm"] == "pretrained":
            table.setdefault(row["task"], {})[row["pattern"]] = row["share"]
    return table


def _on_folds(
    measures: Measures, settings: Settings, statistic: Callable[..., np.ndarray], *models: str
) -> Answer:
    codes = _codes(measures.frame(FOLDS), "label", *models)
    interval = bootstrap(statistic, codes, settings.resamples, settings.seed)
    return Answer(Estimate.of(interval, len(codes[0])), {}, "labelled maps")


def _codes(folds: pd.DataFrame, *columns: str) -> tuple[np.ndarray, ...]:
    """Labels and predictions as numbers of the classes."""
    classes = sorted(folds["label"].unique())
    return tuple(folds[column].map(classes.index).to_numpy() for column in columns)


def _f1(labels: np.ndarray, predictions: np.ndarray, average: str) -> np.ndarray:
    """F1 over the last axis, all classes counting alike (`macro`) or by frequency (`weighted`)."""
    classes = np.unique(np.append(labels, predictions))[:, *[None] * np.ndim(labels)]
    actual, predicted = labels == classes, predictions == classes
    both, support = (actual & predicted).sum(-1), actual.sum(-1)
    scores = 2 * both / np.maximum(support + predicted.sum(-1), 1)
    weights = support if average == "weighted" else np.ones_like(support)
    return (scores * weights).sum(0) / weights.sum(0)
