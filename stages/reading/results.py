"""From what was measured of every reader to the tables of `stages.reading.tables`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from stages.core.intervals.groups import resampled_means
from stages.core.questions.question import Question
from stages.core.stage.tables import interval_columns
from stages.reading.attacks import CONTROLS
from stages.reading.baselines import Unit, longest_option, random_guess
from stages.reading.cls_attention import ToParts, beyond_tokens
from stages.reading.head_effects import choices_table, heads_table
from stages.reading.tables import (
    ALL,
    BASELINES,
    CHOICES,
    CLS,
    CLS_HEADS,
    GUESS,
    HEADS,
    LONGEST,
    OUTCOMES,
    PARTS,
    SCORES,
    SHUFFLED,
)

Groups = Int[np.ndarray, " question"]


@dataclass(frozen=True)
class WithoutHeads:
    """Outcomes of some questions with every head on, and with each one ablated.

    Attributes:
        outcomes: by the name of the attack; see `head_effects.WithHeads`.
        heads: of a layer.
        questions: their places among all that are asked.
    """

    outcomes: dict[str, Float[np.ndarray, "outcome version state question"]]
    heads: int
    questions: Int[np.ndarray, " some"]


@dataclass(frozen=True)
class ClsAttention:
    """The attention of [CLS] on some questions, given by their places, under each condition."""

    to_parts: dict[str, ToParts]
    questions: Int[np.ndarray, " some"]


@dataclass(frozen=True)
class ReaderResult:
    """The measures of one reader: those of heads and [CLS] only where it reads real questions.

    Attributes:
        reader: what it was trained on.
        outcomes, shuffled: see `stages.reading.kept`.
    """

    reader: str
    seed: int
    outcomes: pd.DataFrame
    shuffled: pd.DataFrame
    without_heads: WithoutHeads | None
    cls: ClsAttention | None

    @property
    def place(self) -> dict[str, str | int]:
        return {"reader": self.reader, "seed": self.seed}


def passages_of(questions: Sequence[Question]) -> Groups:
    """A number for each question that those of one passage share."""
    return np.unique([question.passage for question in questions], return_inverse=True)[1]


def write_tables(
    results: Sequence[ReaderResult],
    questions: Sequence[Question],
    unit: Unit,
    resamples: int,
    seed: int,
    name: str,
) -> None:
    """Write every table of a set of questions, of all its readers.

    Args:
        unit: in which the longest option is the longest.
        name: of the set.
    """
    groups = passages_of(questions)
    bootstrap = resamples, seed
    outcomes = [one.outcomes.assign(**one.place) for one in results]
    OUTCOMES.write([one.drop(columns="told_apart") for one in outcomes], questions=name)
    parts, drawn = zip(*(scores_table(one, groups, *bootstrap) for one in outcomes), strict=True)
    SCORES.write(
        [part.assign(**one.place) for part, one in zip(parts, results, strict=True)],
        [np.concatenate(drawn, axis=1)],
        questions=name,
    )
    rows, again = baselines_table(questions, unit, groups, *bootstrap)
    BASELINES.write(rows, [again], questions=name)
    # The versions of the questions are the same for every reader.
    SHUFFLED.write(results[0].shuffled, questions=name)
    heads, choices, chosen = [], [], []
    cls_rows, cls_drawn, cls_heads = [], [], []
    for one in results:
        if one.without_heads is not None:
            off = one.without_heads
            of_questions = groups[off.questions]
            for attack, of_attack in off.outcomes.items():
                # Rounded as the outcomes of readers are.
                rounded = of_attack.astype(np.float32).astype(float)
                place = one.place | {"attack": attack}
                rows = heads_table(rounded, off.heads, of_questions, *bootstrap)
                heads.append(rows.assign(**place))
                rows, again = choices_table(rounded, off.heads, of_questions, *bootstrap)
                choices.append(rows.assign(**place))
                chosen.append(again)
        if one.cls is not None:
            for condition, to_parts in one.cls.to_parts.items():
                place = one.place | {"condition": condition}
                rows, again = cls_table(to_parts, groups[one.cls.questions], *bootstrap)
                cls_rows.append(rows.assign(**place))
                cls_drawn.append(again)
                cls_heads.append(cls_heads_table(to_parts).assign(**place))
    CLS.write(cls_rows, cls_drawn, questions=name)
    CLS_HEADS.write(cls_heads, questions=name)
    # Where no attack is asked of heads, the files are there all the same: DVC asks for them.
    HEADS.write(heads, questions=name)
    CHOICES.write(choices, chosen, questions=name)


def scores_table(
    outcomes: pd.DataFrame, groups: Groups, resamples: int, seed: int
) -> tuple[pd.DataFrame, Float[np.ndarray, "1 row resample"]]:
    """One row a condition; of a control and its attack another one of the questions told apart.

    Args:
        outcomes: of one reader, as `kept.outcome_rows`, questions in the order of `groups`.

    Returns:
        condition, at, among, value, low, high, examples, passages; and their resamples.
    """
    own = {
        (str(condition), str(at)): (some["right"].to_numpy(float), some["told_apart"].to_numpy())
        for (condition, at), some in outcomes.groupby(["condition", "at"], sort=False)
    }
    wanted = [(condition, at, ALL) for condition, at in own]
    wanted += [
        (condition, attack, control)
        for attack, controls in CONTROLS.items()
        if (attack, attack) in own
        for control in controls
        for condition in (attack, control)
    ]
    rows, values = [], []
    for condition, at, among in wanted:
        right = own[condition, at][0]
        some = (
            np.ones(len(right), dtype=bool) if among == ALL else own[at, at][1] & own[among, at][1]
        )
        sizes = {"examples": int(some.sum()), "passages": len(np.unique(groups[some]))}
        rows.append({"condition": condition, "at": at, "among": among} | sizes)
        values.append(np.where(some, right, np.nan))
    return _with_intervals(pd.DataFrame(rows), np.array(values), groups, resamples, seed)


def baselines_table(
    questions: Sequence[Question], unit: Unit, groups: Groups, resamples: int, seed: int
) -> tuple[pd.DataFrame, Float[np.ndarray, "1 row resample"]]:
    """One row a baseline: model, value, low, high, examples, passages; and their resamples."""
    values = np.array([random_guess(questions), longest_option(questions, unit)])
    sizes = {"examples": len(questions), "passages": len(np.unique(groups))}
    rows = pd.DataFrame({"model": [GUESS, LONGEST], **sizes})
    return _with_intervals(rows, values, groups, resamples, seed)


def _with_intervals(
    rows: pd.DataFrame,
    values: Float[np.ndarray, "row question"],
    groups: Groups,
    resamples: int,
    seed: int,
) -> tuple[pd.DataFrame, Float[np.ndarray, "1 row resample"]]:
    found = resampled_means(values, groups, resamples, seed)
    columns = interval_columns("", found.value, found.low, found.high, "value")
    return rows.assign(**columns), found.drawn[None]


def cls_table(
    found: ToParts, groups: Groups, resamples: int, seed: int
) -> tuple[pd.DataFrame, Float[np.ndarray, "2 row resample"]]:
    """One row a part: its share of the attention of [CLS], mean over heads, and beyond its tokens.

    Returns:
        part, share, beyond and their limits, tokens, examples; and the resamples of both.
    """
    of_parts = [
        values.mean((2, 3)) for values in (found.shares.astype(float), beyond_tokens(found))
    ]
    share, beyond = (resampled_means(values, groups, resamples, seed) for values in of_parts)
    rows = {"part": list(PARTS), "tokens": found.tokens.mean(1), "examples": len(groups)}
    for name, one in (("share", share), ("beyond", beyond)):
        rows |= interval_columns(name, one.value, one.low, one.high)
    return pd.DataFrame(rows), np.stack([share.drawn, beyond.drawn])


def cls_heads_table(found: ToParts) -> pd.DataFrame:
    """One row a part, layer and head: part, layer, head, share, beyond; means over questions."""
    parts, _, layers, heads = found.shares.shape
    part, layer, head = (place.ravel() for place in np.indices((parts, layers, heads)))
    names = np.array(PARTS)[part]
    shares = found.shares.mean(1, dtype=float).ravel()
    beyond = beyond_tokens(found).mean(1).ravel()
    columns = {"part": names, "layer": layer, "head": head}
    return pd.DataFrame({**columns, "share": shares, "beyond": beyond})
