"""How tuning changes attention to kinds of tokens (Kovaleva et al. 2019, 4.4 and 4.5).

Maps are recorded of the first fine-tuning of each task. Of several tokens of a kind in a text, the
one that gets most counts, as in the source.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.intervals.groups import resampled_ratios
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.core.tables import drawn_of
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.chosen_heads import ablated_heads, of_heads, worst_less_others
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of, largest, mean_of, smallest
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_arm, of_data
from stages.features.tables import CHANGES, CLS, MATCHES, MAXIMUM, RISES, SHARES

LINGUISTIC = ("noun", "verb", "pronoun", "subject", "object", "negation")
# Kinds that [CLS] may prefer to [SEP].
RIVALS = ("cls", "punctuation", *LINGUISTIC)
AGAINST_RANDOM = {"arm": TUNED, "control": RANDOM_WEIGHTS}
OF_TUNING = {
    "arm": TUNED,
    "uncontrolled": "the change is by tuning, and random weights were not tuned",
}


@measure
def early_less_late(measures: Measures, settings: Settings, kind: str, sign: int) -> Answer:
    """A kind's share in the lower half of the layers minus that in the upper half.

    The sign -1 turns the difference over. The task on which it is smallest decides.
    """

    def difference(examples: pd.DataFrame) -> Estimate:
        return _mean(sign * (examples["early"] - examples["late"]), settings)

    rows = SHARES.where(kind=kind, aggregate=MAXIMUM)
    return of_data(measures, rows, difference, decide=smallest, **AGAINST_RANDOM)


@measure
def change_in_half(measures: Measures, settings: Settings, kind: str, half: str) -> Answer:
    """A kind's gain by tuning in the lower or upper half of the layers, mean over tasks.

    Args:
        half: early or late.
    """

    def change(examples: pd.DataFrame) -> Estimate:
        return _mean(examples[f"{half}_change"], settings)

    rows = CHANGES.where(kind=kind, aggregate=MAXIMUM)
    return of_data(measures, rows, change, decide=mean_of, **OF_TUNING)


@measure
def task_over_others(measures: Measures, settings: Settings, kind: str, task: str) -> Answer:
    """A kind's share on one task minus its share on the other task with the largest share."""

    def share(examples: pd.DataFrame) -> Estimate:
        return _mean(examples["share"], settings)

    rows = SHARES.where(kind=kind, aggregate=MAXIMUM)
    answer = of_data(measures, rows, share, decide=mean_of, **AGAINST_RANDOM)
    shares = answer.tasks
    if task not in shares or len(shares) < 2:
        raise NotMeasured(f"the claim is about the task {task} beside others")
    answer = replace(answer, pooled=_over_each(shares, task), decided_on=", ".join(shares))
    if answer.control is None or answer.controlled:
        return replace(answer, control=None, beyond=None, controlled=())
    control = of_arm(measures, rows, share, RANDOM_WEIGHTS).estimates
    beyond = {name: difference_of(shares[name], control[name]) for name in shares}
    control = {name: control[name] for name in shares}
    return replace(answer, control=_over_each(control, task), beyond=_over_each(beyond, task))


def _over_each(shares: dict[str, Estimate], task: str) -> Estimate:
    """The smallest difference between one task and another; every task's examples count once."""
    differences = [
        difference_of(replace(shares[task], drawn=None), other)
        for name, other in shares.items()
        if name != task
    ]
    return replace(smallest(differences), n=sum(estimate.n for estimate in shares.values()))


@measure
def words_to_special(measures: Measures, settings: Settings, column: str) -> Answer:
    """The share of the kind of words with the largest share, divided by that of [CLS] and [SEP].

    Only examples count that have all three; [CLS] and [SEP] are averaged. The task with the largest
    ratio decides.

    Args:
        column: share (of the tuned encoder) or change (by tuning, absolute).
    """

    def ratio(examples: pd.DataFrame) -> Estimate:
        table = examples.pivot(index="id", columns="kind", values=column)
        kinds = [kind for kind in LINGUISTIC if kind in table]
        if not kinds or not {"cls", "sep"} <= set(table):
            raise NotMeasured("the texts of no task are annotated; name a treebank under `tagger`")
        most = max(kinds, key=lambda kind: table[kind].mean())
        shares = table[["cls", "sep", most]].dropna()
        special = (shares["cls"] + shares["sep"]) / 2
        return _ratio(shares[most].to_numpy(), special.to_numpy(), settings)

    table, arms = (CHANGES, OF_TUNING) if column == "change" else (SHARES, AGAINST_RANDOM)
    return of_data(measures, table.where(aggregate=MAXIMUM), ratio, decide=largest, **arms)


@measure
def best_rise(measures: Measures, settings: Settings, kind: str, tasks: list[str]) -> Answer:
    """A kind's gain by tuning in the head where it gains most, held out.

    Of the tasks that the source names and that are run, the one with the smallest gain decides.
    """

    def rise(rows: pd.DataFrame) -> Estimate:
        (row,) = rows.to_dict("records")
        return Estimate.of_value(row, "rise", int(row["examples"]))

    rows = RISES.where(data=tasks, kind=kind, aggregate=MAXIMUM)
    return of_data(measures, rows, rise, decide=smallest, **OF_TUNING)


@measure
def cls_looks_at_sep(measures: Measures, settings: Settings) -> Answer:
    """The share of tasks on which [CLS] of the last layer gives most to [SEP].

    The lower end counts the tasks on which this is shown. The upper end leaves out those on which
    the contrary is shown.
    """
    rows = CLS.where(aggregate=MAXIMUM, kind=["sep", *RIVALS])
    return of_data(
        measures,
        rows,
        _sep_is_first,
        decide=_share_of_tasks,
        counted="tasks",
        bounds="range",
        **AGAINST_RANDOM,
    )


def _sep_is_first(kinds: pd.DataFrame) -> Estimate:
    """1 if [SEP] has the largest share, else 0; the range tells whether resamples agree."""
    shares, drawn = (
        dict(zip(kinds["kind"], kinds[column], strict=True))
        for column in ("share", drawn_of("share"))
    )
    margins = [
        Estimate.of_drawn(shares["sep"] - shares[kind], drawn["sep"] - drawn[kind], 1)
        for kind in shares
        if kind != "sep"
    ]
    margin = smallest(margins)
    return Estimate(float(margin.value > 0), float(margin.low > 0), float(not margin.high <= 0), 1)


def _share_of_tasks(tasks: Sequence[Estimate]) -> Estimate:
    value, low, high = np.mean([(task.value, task.low, task.high) for task in tasks], axis=0)
    return Estimate(float(value), float(low), float(high), len(tasks))


@measure
def worst_heads_match(
    measures: Measures, settings: Settings, tasks: list[str], heads: int
) -> Answer:
    """The gain of equal words across two texts: a task's most important heads minus its others.

    The `heads` heads with the worst effects are compared. Effects and maps are of the first
    fine-tuning. The task with the smallest difference decides.
    """
    ablated = ablated_heads(measures)

    def contrast(gains: pd.DataFrame) -> Estimate:
        task, seed, texts = gains.iloc[0][["data", "seed", "texts"]]
        effects = ablated[(ablated["data"] == task) & (ablated["seed"] == seed)]
        if effects.empty:
            raise NotMeasured(f"no head was ablated on {task}")
        estimate = worst_less_others(of_heads(effects, "effect"), of_heads(gains, "gain"), heads)
        return replace(estimate, n=int(texts))

    rows = MATCHES.where(data=tasks)
    answer = of_data(measures, rows, contrast, decide=smallest, **AGAINST_RANDOM)
    if set(answer.tasks) != set(tasks):
        raise NotMeasured(f"the claim is about {' and '.join(tasks)}, not both run and learnt")
    return answer


def _mean(values: pd.Series, settings: Settings) -> Estimate:
    """The mean over examples; arms are resampled alike."""
    return _ratio(values.to_numpy(), np.ones(len(values)), settings)


def _ratio(
    above: Float[np.ndarray, " example"], below: Float[np.ndarray, " example"], settings: Settings
) -> Estimate:
    """The ratio of two means over the same examples, with its interval and resamples."""
    ratio = resampled_ratios(
        above[None], below[None], np.arange(len(above)), settings.resamples, settings.seed
    )
    (value,), (low,), (high,), (drawn,) = ratio.value, ratio.low, ratio.high, ratio.drawn
    return Estimate(float(value), float(low), float(high), len(above), drawn)
