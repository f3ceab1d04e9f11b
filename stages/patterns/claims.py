"""How well the pattern classifier does, and how frequent each pattern is.

Kovaleva et al. 2019, section 4.1 and Figure 2.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from stages.core.intervals.intervals import bootstrap
from stages.core.stage.arms import RECORDED, TUNED
from stages.core.verdicts.answers import Answer, row_by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, largest, smallest
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.tables import FOLDS, SHARES, TEXT_SHARES


@measure
def pattern_f1(measures: Measures, settings: Settings, average: str, model: str) -> Answer:
    """F1 of a model over all maps, each predicted by the one that did not see its fold."""
    return _on_folds(measures, settings, lambda own: _f1(own, average), model)


@measure
def pattern_f1_over_baseline(measures: Measures, settings: Settings, model: str) -> Answer:
    """Weighted F1 of a model minus that of the classifier on simple features."""

    def gain(own: np.ndarray, baseline: np.ndarray) -> np.ndarray | float:
        return _f1(own, "weighted") - _f1(baseline, "weighted")

    return _on_folds(measures, settings, gain, model, "baseline")


@measure
def pattern_share(measures: Measures, settings: Settings, pattern: str, which: str) -> Answer:
    """Share of a pattern among all maps of a tuned encoder, on the task where it is `which`."""
    rows = measures.frame(SHARES)
    rows = rows[(rows["arm"] == TUNED) & (rows["pattern"] == pattern)]
    if rows.empty:
        raise NotMeasured(f"no tuned encoder has a share of the pattern {pattern}")
    shares = {
        row["task"]: Estimate(row["share"], row["low"], row["high"], row["examples"])
        for _, row in rows.iterrows()
    }
    combine = {"smallest": smallest, "largest": largest}[which]
    return Answer(combine(list(shares.values())), shares)


@measure
def text_pattern_share(measures: Measures, settings: Settings, pattern: str) -> Answer:
    """Share of a pattern among all maps of a corpus that was recorded elsewhere."""
    rows = studied(measures.frame(TEXT_SHARES))
    rows = rows[(rows["pattern"] == pattern) & (rows["encoder"] == RECORDED)]
    if rows.empty:
        raise NotMeasured("no attention that was recorded elsewhere")
    return row_by_corpus(rows, ("share", "low", "high", "texts"), "texts")


@summary("classifier")
def classifier_scores(measures: Measures) -> dict:
    """Weighted and macro F1 of the network, of its deep path alone and of the baseline."""
    folds = measures.frame(FOLDS)
    table = {}
    for model in ("network", "deep_path", "baseline"):
        counts = _confusions(folds, model).sum(0)
        table[model] = {
            f"{average}_f1": float(_f1(counts, average)) for average in ("weighted", "macro")
        }
    return table


@summary("patterns")
def shares(measures: Measures) -> dict:
    """Share of each pattern for each task, in the tuned encoder."""
    table: dict = {}
    for row in measures.frame(SHARES).to_dict("records"):
        if row["arm"] == TUNED:
            table.setdefault(row["task"], {})[row["pattern"]] = row["share"]
    return table


def _on_folds(
    measures: Measures, settings: Settings, statistic: Callable[..., np.ndarray], *models: str
) -> Answer:
    """A statistic of the models' confusion counts; the bootstrap resamples heads.

    Maps of one head look alike, so that maps drawn one by one would seem to say more than they do.
    """
    folds = measures.frame(FOLDS)
    counts = [_confusions(folds, model) for model in models]

    def of_heads(heads: Int[np.ndarray, "... head"]) -> Float[np.ndarray, "..."] | float:
        return statistic(*(of_model[heads].sum(-3) for of_model in counts))

    everyone = np.arange(len(counts[0]))
    interval = bootstrap(of_heads, (everyone,), settings.resamples, settings.seed)
    return Answer(Estimate.of(interval, len(folds)), {}, "labelled maps")


def _confusions(folds: pd.DataFrame, model: str) -> Int[np.ndarray, "head label predicted"]:
    """For each head of each encoder the number of its maps of each label and prediction."""
    heads = folds.groupby(["encoder", "layer", "head"], sort=False).ngroup().to_numpy()
    counts = np.zeros((heads.max() + 1, len(CLASSES), len(CLASSES)), dtype=int)
    label, predicted = (folds[column].map(CLASSES.index) for column in ("label", model))
    np.add.at(counts, (heads, label, predicted), 1)
    return counts


def _f1(
    counts: Int[np.ndarray, "... label predicted"], average: str
) -> Float[np.ndarray, "..."] | float:
    """F1, all classes that occur counting alike (`macro`) or by their labels (`weighted`)."""
    both = np.diagonal(counts, axis1=-2, axis2=-1)
    support = counts.sum(-1)
    total = support + counts.sum(-2)
    scores = 2 * both / np.maximum(total, 1)
    weights = support if average == "weighted" else total > 0
    return (scores * weights).sum(-1) / weights.sum(-1)
