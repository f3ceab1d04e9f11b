"""How well the pattern classifier does, and how frequent each pattern is.

Kovaleva et al. 2019, section 4.1 and Figure 2.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED, TUNED, Arm
from stages.core.tasks.task import load_task
from stages.core.verdicts.answers import Answer, NotMeasured, over_tasks, some_rows
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, difference_of, largest, smallest
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data
from stages.core.verdicts.setting import setting_of_task
from stages.patterns.scores import confusions, f1, interval_of
from stages.patterns.tables import ANY, FOLDS, MODELS, OUTSIDE, SHARES, TEXT_SHARES

# Which maps a classifier is scored on.
Scored = Literal["folds", "outside"]


@measure
def pattern_f1(
    measures: Measures, settings: Settings, average: str, model: str, on: Scored
) -> Answer:
    """F1 of a model over labelled maps that it did not see.

    Args:
        on: `folds`, each map predicted by models that did not see its fold; or `outside`, maps of a
            recording on which no setting was chosen, by models trained on all labelled maps. Where
            a model has several random starts, the mean over them.
    """
    return _scored(measures, settings, on, lambda own: f1(own, average), model)


@measure
def pattern_f1_over_baseline(
    measures: Measures, settings: Settings, model: str, on: Scored
) -> Answer:
    """Weighted F1 of a model minus that of the classifier on simple features; as `pattern_f1`."""

    def gain(own: np.ndarray, baseline: np.ndarray) -> np.ndarray | float:
        return f1(own, "weighted") - f1(baseline, "weighted")

    return _scored(measures, settings, on, gain, model, "baseline")


@measure
def pattern_share(
    measures: Measures, settings: Settings, pattern: str, which: str, rule: str
) -> Answer:
    """Share of a pattern among all maps of a tuned encoder, on the task where it is `which`.

    Args:
        rule: for Vertical, `special` (the source's) or `any`.
    """
    rows = measures.rows(SHARES.where(pattern=pattern, rule=rule), drawn=True)
    return of_data(
        measures,
        rows[~rows["data"].isin(not_learnt(measures))],
        _share,
        decide={"smallest": smallest, "largest": largest}[which],
        arm=TUNED,
        control=RANDOM_WEIGHTS,
    )


@measure
def rarest_pattern(measures: Measures, settings: Settings, arms: list[Arm], rule: str) -> Answer:
    """The smallest share of any pattern on any task and in any of the arms.

    Block counts on tasks of pairs only: the source has it within the sentences of a pair.
    """
    rows = measures.rows(SHARES.where(rule=rule), drawn=True)
    rows = rows[~rows["data"].isin(not_learnt(measures))]
    single = [task for task in rows["data"].unique() if not _has_pairs(task)]
    rows = rows[(rows["pattern"] != "block") | ~rows["data"].isin(single)]
    shares: dict[str, dict[str, Estimate]] = {arm: {} for arm in (*arms, RANDOM_WEIGHTS)}
    for row in rows[rows["arm"].isin(shares)].to_dict("records"):
        shares[row["arm"]][f"{row['data']}, {row['pattern']}"] = _estimate(row)
    every = {f"{arm}: {name}": share for arm in arms for name, share in shares[arm].items()}
    if not every:
        raise NotMeasured(f"no task has shares of {' or '.join(arms)}")
    control = shares[RANDOM_WEIGHTS]
    beside = {f"{arm}: {name}": share for arm in arms for name, share in control.items()}
    answer = over_tasks(every, smallest, beside, "examples")
    if answer.control is not None:
        # Random weights have other patterns: the rarest there need not be the rarest here.
        answer = replace(answer, beyond=difference_of(answer.pooled, answer.control))
    tuned = TUNED if TUNED in arms else arms[0]
    tasks = list(dict.fromkeys(rows.loc[rows["arm"].isin(arms), "data"]))
    return replace(answer, decided_on=", ".join(tasks), arm=tuned, seeds=1)


@measure
def text_pattern_share(measures: Measures, settings: Settings, pattern: str, rule: str) -> Answer:
    """Share of a pattern among all maps of a corpus that was recorded elsewhere."""
    try:
        rows = measures.rows(
            TEXT_SHARES.where(pattern=pattern, rule=rule, arm=RECORDED), drawn=True
        )
    except NotMeasured:
        raise NotMeasured("no attention that was recorded elsewhere") from None
    return of_data(measures, rows, _share, counted="texts")


def _share(run: pd.DataFrame) -> Estimate:
    (row,) = run.to_dict("records")
    return _estimate(row)


def _estimate(row: dict[str, Any]) -> Estimate:
    return Estimate.of_value(row, "share", int(row["examples"]))


def _has_pairs(task: str) -> bool:
    return setting_of_task(task, load_task(task)).inputs == "pairs"


@summary("classifier")
def classifier_scores(measures: Measures) -> dict:
    """Weighted and macro F1 of every model on the folds, the mean over random starts."""
    folds = measures.rows(FOLDS)
    table = {}
    for model in MODELS:
        counts = confusions(folds, model).sum(1)
        table[model] = {
            f"{average}_f1": float(np.mean(f1(counts, average)))
            for average in ("weighted", "macro")
        }
    return table


@summary("patterns")
def shares(measures: Measures) -> dict:
    """Share of each pattern for each task under each rule, in the tuned encoder."""
    table: dict = {}
    for row in measures.rows(SHARES.where(arm=TUNED)).to_dict("records"):
        of_rule = table.setdefault(row["data"], {}).setdefault(row["rule"], {})
        of_rule[row["pattern"]] = row["share"]
    return table


def _scored(
    measures: Measures,
    settings: Settings,
    on: Scored,
    statistic: Callable[..., np.ndarray],
    *models: str,
) -> Answer:
    """A statistic of the models' confusion counts; the bootstrap draws heads and random starts."""
    if on == "folds":
        table, corpus = measures.rows(FOLDS), ""
    else:
        try:
            table = measures.rows(OUTSIDE)
        except NotMeasured:
            raise NotMeasured(
                "no maps are labelled but those that the classifier learnt from and its settings "
                "were chosen on (`text_patterns.labelled` in params.yaml)"
            ) from None
        table = table[table["data"] == table["data"].iloc[0]]
        table = some_rows(table[(table["rule"] == ANY) & (table["label"] != "")])
        corpus = table["data"].iloc[0]
    counts = [confusions(table, model) for model in models]
    interval = interval_of(statistic, counts, settings.resamples, settings.seed)
    estimate = Estimate.of(interval, int((table["start"] == 0).sum()))
    return Answer(
        estimate,
        {corpus: estimate} if corpus else {},
        "labelled maps",
        corpus,
        uncontrolled="the claim is about the classifier, which reads maps of any encoder",
    )
