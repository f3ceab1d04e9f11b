"""Sentences under the figures of the page, which follow from the numbers by rules.

What an interval does not show is said to be not shown. Estimates are in points.
"""

from collections.abc import Iterable, Mapping
from math import isfinite

import pandas as pd

from stages.core.pages.said import extreme, of_all, tally
from stages.core.verdicts.estimates import Estimate
from stages.reading.tables import GUESS, LONGEST

ABOVE, BELOW, NOT_SHOWN = "above", "below", "not shown"


def side(estimate: Estimate) -> str:
    """On which side of 0 the whole interval lies; `not shown` where it has no width or ends."""
    if not estimate.has_width:
        return NOT_SHOWN
    return ABOVE if estimate.low > 0 else BELOW if estimate.high < 0 else NOT_SHOWN


def figures(estimate: Estimate, sign: bool = True) -> str:
    """The value with its interval, as "+3.1 points, +1.0 to +5.2"."""
    form = "+.1f" if sign else ".1f"
    if not isfinite(estimate.value):
        return "no value"
    if not estimate.has_width:
        return f"{estimate.value:{form}} points, without an interval"
    return f"{estimate.value:{form}} points, {estimate.low:{form}} to {estimate.high:{form}}"


def listed(names: Iterable[str]) -> str:
    """Names as "one", "one and two", "one, two and three"."""
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last


def said_of_intact(
    questions: str, over: Mapping[str, Estimate], control: Mapping[str, Estimate] | None = None
) -> str:
    """Whether the reader is above what can be had without reading.

    Args:
        over: its accuracy on intact questions less that of each baseline.
        control: the same of the reader tuned from random weights.
    """
    words = {
        ABOVE: "is above",
        BELOW: "is below",
        NOT_SHOWN: "is not shown to differ from",
    }

    def placed(of: Mapping[str, Estimate]) -> str:
        return listed(
            f"{words[side(one)]} the {model} ({figures(one)})" for model, one in of.items()
        )

    beside = f"; the one tuned from random weights {placed(control)}" if control else ""
    return f"On {questions} the reader {placed(over)}{beside}."


def said_of_attacks(
    questions: str, costs: Mapping[str, Estimate], chance: Mapping[str, Estimate]
) -> str:
    """What each attack or control costs, and where it leaves the reader.

    Args:
        costs: accuracy on intact questions at the same cut, less that under the attack.
        chance: accuracy under the attack less that of a guess.
    """
    parts = []
    for name, one in costs.items():
        # A cost is the other way about.
        change = {
            ABOVE: f"costs {figures(one, sign=False)}",
            BELOW: f"raises accuracy ({figures(one.scaled(-1), sign=False)})",
            NOT_SHOWN: f"is not shown to change accuracy ({figures(one.scaled(-1))})",
        }[side(one)]
        left = {
            ABOVE: "",
            BELOW: ", to below a guess",
            NOT_SHOWN: ", to where it is not shown to be above a guess",
        }[side(chance[name])]
        parts.append(f"{name} {change}{left}")
    return f"On {questions} {'; '.join(parts)}."


def said_of_costliest(questions: str, costs: Mapping[str, Estimate]) -> str:
    """How many attacks cost the reader something, and which costs most.

    Args:
        costs: as of `said_of_attacks`, without controls.
    """
    found = pd.Series([side(one) for one in costs.values()], dtype=object)
    names, most = extreme(pd.Series({name: one.value for name, one in costs.items()}), ".1f")
    if not names:
        return ""
    each = " each" if len(names) > 1 else ""
    return (
        f"Against intact questions of {questions}, accuracy is "
        f"{tally(found, 'attack', ('lower', 'higher'))}; the largest cost is that of "
        f"{listed(names)} ({most} points{each})."
    )


def said_of_unanswerable(questions: str, over: Mapping[str, Mapping[str, Estimate]]) -> str:
    """How many trainings on questions that nobody can answer teach to answer intact ones.

    Args:
        over: as of `said_of_trainings`.
    """
    if not over:
        return ""
    above = [name for name, of in over.items() if is_above_both(of)]
    if len(over) == 1:
        (name,) = over
        shown = f"the only reader ({name}) is {'' if above else 'not '}"
    else:
        named = f" ({listed(above)})" if above else ""
        verb = "is" if len(above) == 1 else "are"
        shown = f"{of_all(len(above), len(over), 'reader')}{named} {verb} "
    return (
        f"Of those trained on questions of {questions} that nobody can answer, {shown}shown to be "
        "above a guess and the longest option on intact ones."
    )


def is_above_both(over: Mapping[str, Estimate]) -> bool:
    """Whether the reader is shown to be above a guess and above the longest option."""
    return {side(one) for one in (over[GUESS], over[LONGEST])} == {ABOVE}


def said_of_controls(questions: str, beyond: Mapping[tuple[str, str], Estimate]) -> str:
    """Whether attacks cost more than their controls.

    Args:
        beyond: by attack and control: what the attack costs more.
    """
    words = {
        ABOVE: "costs more than",
        BELOW: "costs less than",
        NOT_SHOWN: "is not shown to cost more or less than",
    }
    said = [
        f"{attack} {words[side(one)]} {control} ({figures(one)})"
        for (attack, control), one in beyond.items()
    ]
    return (
        f"On {questions}, of those where under both no wrong option reads as the right one, "
        f"{'; '.join(said)}."
    )


def said_of_trainings(
    questions: str,
    over: Mapping[str, Mapping[str, Estimate]],
    shuffled: Mapping[str, Estimate],
    cost: Estimate | None,
) -> str:
    """What is learnt from questions that nobody can answer.

    Args:
        over: of each training its accuracy on intact questions less that of each baseline.
        shuffled: of each part, that of training with it shuffled less that with it removed.
        cost: accuracy of training on questions as they are, less that with shuffled passages.
    """
    above = [name for name, of in over.items() if is_above_both(of)]
    rest = [name for name in over if name not in above]
    parts = []
    if above:
        parts.append(f"shown to be above a guess and the longest option: {listed(above)}")
    if rest:
        parts.append(f"not shown to be above both: {listed(rest)}")
    words = {
        ABOVE: "better than removed",
        BELOW: "worse than removed",
        NOT_SHOWN: "not shown to differ from removed",
    }
    parts += [
        f"{part} shuffled is {words[side(one)]} ({figures(one)})" for part, one in shuffled.items()
    ]
    if cost is not None:
        change = {ABOVE: "cost", BELOW: "gain", NOT_SHOWN: "are not shown to cost or gain"}
        value = cost.scaled(-1) if side(cost) == BELOW else cost
        amount = figures(value, sign=side(cost) == NOT_SHOWN)
        parts.append(f"shuffled passages {change[side(cost)]} {amount} against intact training")
    return f"On {questions}, tested on intact questions: {'; '.join(parts)}."


def said_of_shuffles(questions: str, texts: int, left: int, one_word: int, same: int) -> str:
    """How many texts stayed as they were, and how many questions have two right options thereby.

    Args:
        same: questions in which a wrong option reads as the right one, under Ans2Opt-Shuffle.
    """
    if not texts:
        return f"On {questions} no text was to be shuffled."
    of_them = f", {one_word} of them of one word" if left else ""
    also = (
        f" In {same} questions Ans2Opt-Shuffle leaves a wrong option that reads as the right one; "
        "they are left out where controls are compared."
        if same
        else ""
    )
    return (
        f"On {questions} {left} of {texts} texts ({left / texts:.0%}) could not be shuffled so far "
        f"and are left as they were{of_them}.{also}"
    )


def said_of_head(
    questions: str, attack: str, head: str, effect: Estimate, attacked: Estimate
) -> str:
    """Whether an attack goes through a head.

    Args:
        head: as "1-2", the one that all passages choose.
        effect: change of the attack's effect without the head that the other half chose.
        attacked: change on attacked questions without the head that the other half chose for it.
    """
    first = {
        ABOVE: "the attack's effect is smaller",
        BELOW: "the attack's effect is larger",
        NOT_SHOWN: "the attack's effect is not shown to change",
    }
    second = {
        ABOVE: "attacked questions are answered better",
        BELOW: "attacked questions are answered worse",
        NOT_SHOWN: "attacked questions are not shown to be answered otherwise",
    }
    return (
        f"{questions}, {attack}: with the head off that half of the passages choose, "
        f"{first[side(effect)]} on the other half ({figures(effect)}); with the one chosen for it, "
        f"{second[side(attacked)]} ({figures(attacked)}). All passages choose head {head}."
    )


def said_of_cls(questions: str, beyond: Estimate, beside_intact: Estimate) -> str:
    """What [CLS] gives to appended words.

    Args:
        beyond: their share of the attention to words less their share of the words.
        beside_intact: that less the same of as many words at the end of the intact passage.
    """
    words = {
        ABOVE: "more than",
        BELOW: "less than",
        NOT_SHOWN: "not shown to be more or less than",
    }
    return (
        f"On {questions} [CLS] gives to appended words {words[side(beyond)]} their share of the "
        f"words ({figures(beyond)}), which is {words[side(beside_intact)]} what it gives to as "
        f"many at the end of the intact passage ({figures(beside_intact)})."
    )
