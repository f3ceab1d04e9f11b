"""What tuning changes in attention to kinds of tokens (Kovaleva et al. 2019, 4.4 and 4.5).

Maps are recorded of the first fine-tuning of each task alone. Of several tokens of a kind in a text
the one that gets most counts, as in the source.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.intervals.groups import resampled_ratios
from stages.core.intervals.held_out import SCORE
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.core.stage.tables import drawn_name
from stages.core.verdicts.answers import Answer, over_tasks
from stages.core.verdicts.chosen_heads import ablated_heads, of_heads, worst_less_others
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import (
    Estimate,
    difference_of,
    largest,
    mean_of,
    smallest,
)
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.features.tables import CHANGES, CLS, MATCHES, RISES, SHARES

LINGUISTIC = ("noun", "verb", "pronoun", "subject", "object", "negation")
# What [CLS] may look at in place of [SEP].
RIVALS = ("cls", "punctuation", *LINGUISTIC)
AGGREGATE = "maximum"
NOT_TUNED = "the change is by tuning, and random weights were not tuned"

Values = Callable[[pd.DataFrame], Float[np.ndarray, " example"]]


@measure
def early_less_late(measures: Measures, settings: Settings, kind: str, sign: int) -> Answer:
    """What tokens of a kind get in the lower half of the layers of the tuned encoder, less the
    upper half; with the sign -1 the other way round. On the task where that is least."""

    def difference(own: pd.DataFrame) -> Float[np.ndarray, " example"]:
        return sign * (own["early"] - own["late"]).to_numpy()

    rows = _of_kind(of_learnt_tasks(measures, SHARES), kind)
    return _of_tuned(
        over_tasks(
            _means(rows, TUNED, difference, settings),
            smallest,
            _means(rows, RANDOM_WEIGHTS, difference, settings),
        )
    )


@measure
def change_in_half(measures: Measures, settings: Settings, kind: str, half: str) -> Answer:
    """How much more a kind of token gets after tuning, in the lower or upper half of the layers.

    Mean over tasks.

    Args:
        half: early or late.
    """
    rows = _of_kind(of_learnt_tasks(measures, CHANGES), kind)
    found = {
        str(task): _mean(own[f"{half}_change"].to_numpy(), settings)
        for task, own in rows.groupby("task", sort=False)
    }
    return _of_tuned(over_tasks(found, mean_of, uncontrolled=NOT_TUNED))


@measure
def task_over_others(measures: Measures, settings: Settings, kind: str, task: str) -> Answer:
    """What tokens of a kind get from the encoder tuned on one task, less what they get on the
    other task where they get most."""
    rows = _of_kind(of_learnt_tasks(measures, SHARES), kind)
    own, control = (
        _means(rows, arm, lambda found: found["share"].to_numpy(), settings)
        for arm in (TUNED, RANDOM_WEIGHTS)
    )
    if task not in own or len(own) < 2:
        raise NotMeasured(f"the claim is about the task {task} beside others")
    answer = Answer(_over_each(own, task), own, decided_on=", ".join(own))
    if set(control) == set(own):
        beyond = {name: difference_of(own[name], control[name]) for name in own}
        answer = replace(answer, control=_over_each(control, task), beyond=_over_each(beyond, task))
    return _of_tuned(answer)


def _over_each(found: dict[str, Estimate], task: str) -> Estimate:
    """The smallest difference between one task and another; every task's examples count once."""
    differences = [
        difference_of(replace(found[task], drawn=None), other)
        for name, other in found.items()
        if name != task
    ]
    return replace(smallest(differences), n=sum(estimate.n for estimate in found.values()))


@measure
def words_to_special(measures: Measures, settings: Settings, column: str) -> Answer:
    """What the kind of words with most attention gets, as a share of what [CLS] and [SEP] get.

    Of examples that have all three; [CLS] and [SEP], mean. On the task where that is most.

    Args:
        column: share (what it gets from the tuned encoder) or change (by tuning, absolute).
    """
    if column == "change":
        found = _ratios(of_learnt_tasks(measures, CHANGES), column, settings)
        return _of_tuned(over_tasks(_known(found), largest, uncontrolled=NOT_TUNED))
    rows = of_learnt_tasks(measures, SHARES)
    own, control = (
        _ratios(rows[rows["arm"] == arm], column, settings) for arm in (TUNED, RANDOM_WEIGHTS)
    )
    return _of_tuned(over_tasks(_known(own), largest, control))


def _known(found: dict[str, Estimate]) -> dict[str, Estimate]:
    if not found:
        raise NotMeasured("the texts of no task are annotated; name a treebank under `tagger`")
    return found


def _ratios(rows: pd.DataFrame, column: str, settings: Settings) -> dict[str, Estimate]:
    """For each task the ratio of the kind of words with most to [CLS] and [SEP]."""
    found = {}
    for task, own in rows[rows["aggregate"] == AGGREGATE].groupby("task", sort=False):
        table = own.pivot(index="id", columns="kind", values=column)
        kinds = [kind for kind in LINGUISTIC if kind in table]
        if not kinds or not {"cls", "sep"} <= set(table):
            continue
        most = max(kinds, key=lambda kind, table=table: table[kind].mean())
        both = table[["cls", "sep", most]].dropna()
        found[str(task)] = _ratio(
            both[most].to_numpy(), ((both["cls"] + both["sep"]) / 2).to_numpy(), settings
        )
    return found


@measure
def best_rise(measures: Measures, settings: Settings, kind: str, tasks: list[str]) -> Answer:
    """What tokens of a kind gain by tuning in the head where they gain most, held out.

    On each of the tasks that the source names and that are run, so on the one with least.

    Raises:
        NotMeasured: none of the tasks is run, or their texts are not annotated.
    """
    rows = of_learnt_tasks(measures, RISES, resampled=True)
    rows = rows[(rows["aggregate"] == AGGREGATE) & (rows["kind"] == kind)]
    found = {
        str(row["task"]): Estimate.of_row(row, SCORE, int(row["cases"]))
        for row in rows.to_dict("records")
        if row["task"] in tasks
    }
    if not found:
        raise NotMeasured(
            f"the claim is about {', '.join(tasks)}, none of which is run with annotated texts"
        )
    return _of_tuned(over_tasks(found, smallest, uncontrolled=NOT_TUNED))


@measure
def cls_looks_at_sep(measures: Measures, settings: Settings) -> Answer:
    """Share of the tasks on which [CLS] of the tuned encoder's last layer gives most to [SEP].

    Its range goes from the tasks on which that is shown to those on which the contrary is not.
    """
    rows = of_learnt_tasks(measures, CLS, resampled=True)
    rows = rows[(rows["aggregate"] == AGGREGATE) & rows["kind"].isin(["sep", *RIVALS])]
    own, control = (
        {
            str(task): _first_is_sep(shares)
            for task, shares in rows[rows["arm"] == arm].groupby("task", sort=False)
        }
        for arm in (TUNED, RANDOM_WEIGHTS)
    )
    answer = over_tasks(own, _share_of_tasks, control, "tasks")
    return replace(_of_tuned(answer), bounds="range")


@measure
def worst_heads_match(
    measures: Measures, settings: Settings, tasks: list[str], heads: int
) -> Answer:
    """What words that stand in both texts gain, across them, in the `heads` heads that the task
    loses most without, less what they gain in the others: on the task where that is least.

    Effects and maps are of the first fine-tuning.
    """
    ablated = ablated_heads(measures)
    gains = of_learnt_tasks(measures, MATCHES, resampled=True)
    own: dict[str, Estimate] = {}
    control: dict[str, Estimate] = {}
    for task in tasks:
        first = measures.seeds.get(task, [0])[0]
        effects = ablated[(ablated["data"] == task) & (ablated["seed"] == first)]
        for arm, found in ((TUNED, own), (RANDOM_WEIGHTS, control)):
            rows = gains[(gains["task"] == task) & (gains["arm"] == arm)]
            if effects.empty or rows.empty:
                continue
            estimate = worst_less_others(of_heads(effects, "effect"), of_heads(rows, "gain"), heads)
            found[task] = replace(estimate, n=int(rows["texts"].iloc[0]))
    if set(own) != set(tasks):
        raise NotMeasured(f"the claim is about {' and '.join(tasks)}, not both run and learnt")
    return _of_tuned(over_tasks(own, smallest, control))


def _first_is_sep(shares: pd.DataFrame) -> Estimate:
    """1 where [SEP] has the largest share; the range says whether that could be otherwise."""
    by_kind = shares.set_index("kind")
    others = by_kind.drop(index="sep")
    drawn = by_kind[drawn_name("share")]
    margins = [
        Estimate.of_drawn(
            by_kind.loc["sep", "share"] - others.loc[kind, "share"], drawn["sep"] - drawn[kind], 1
        )
        for kind in others.index
    ]
    margin = smallest(margins)
    return Estimate(float(margin.value > 0), float(margin.low > 0), float(not margin.high <= 0), 1)


def _share_of_tasks(tasks: list[Estimate]) -> Estimate:
    value, low, high = np.mean([(task.value, task.low, task.high) for task in tasks], axis=0)
    return Estimate(float(value), float(low), float(high), len(tasks))


def _of_tuned(answer: Answer) -> Answer:
    return replace(answer, arm=TUNED, seeds=1)


def _of_kind(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    rows = rows[(rows["aggregate"] == AGGREGATE) & (rows["kind"] == kind)]
    if rows.empty:
        raise NotMeasured(f"no text has {kind} tokens")
    return rows


def _means(rows: pd.DataFrame, arm: str, values: Values, settings: Settings) -> dict[str, Estimate]:
    """The mean over the examples of each task, of one arm; arms are resampled alike."""
    own = rows[rows["arm"] == arm]
    return {
        str(task): _mean(values(found), settings) for task, found in own.groupby("task", sort=False)
    }


def _mean(values: Float[np.ndarray, " example"], settings: Settings) -> Estimate:
    return _ratio(values, np.ones_like(values), settings)


def _ratio(
    above: Float[np.ndarray, " example"], below: Float[np.ndarray, " example"], settings: Settings
) -> Estimate:
    """The ratio of two means over the same examples, with its interval and resamples."""
    found = resampled_ratios(
        above[None], below[None], np.arange(len(above)), settings.resamples, settings.seed
    )
    (value,), (low,), (high,), (drawn,) = found.value, found.low, found.high, found.drawn
    return Estimate(float(value), float(low), float(high), len(above), drawn)
