"""From the measures of a reader to the tables of `stages.reading.tables`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from stages.core.intervals.groups import resampled_means
from stages.core.questions.question import Question
from stages.core.questions.shuffles import degrees
from stages.core.tables import estimate_columns
from stages.reading.attacks import CONTROLS
from stages.reading.baselines import Unit, longest_option, random_guess
from stages.reading.cls_attention import ToParts, beyond_tokens
from stages.reading.conditions import Version, Versions
from stages.reading.tables import ALL, GUESS, LONGEST, PARTS

Groups = Int[np.ndarray, " question"]


def outcome_rows(
    outcomes: Mapping[Version, Float[np.ndarray, " question"]],
    made: Versions,
    questions: Sequence[Question],
) -> pd.DataFrame:
    """One row a condition and question: condition, at, id, right, told_apart."""
    tables = []
    for condition, right in outcomes.items():
        apart = np.ones(len(questions), dtype=bool)
        if condition.name in made.attacked:
            apart = made.told_apart(condition.name)
        keys = {"condition": condition.name, "at": condition.at}
        keys["id"] = [question.id for question in questions]
        tables.append(pd.DataFrame({**keys, "right": right, "told_apart": apart}))
    return pd.concat(tables, ignore_index=True)


def shuffled_rows(made: Versions) -> pd.DataFrame:
    """One row an attack or control: the values of `SHUFFLED`."""
    rows = []
    for at, controls in CONTROLS.items():
        for name in (at, *controls):
            if name not in made.attacked:
                continue
            versions = made.attacked[name]
            shuffled = degrees([text for version in versions for text in version.shuffled])
            rows.append(
                {
                    "condition": name,
                    "at": at,
                    "texts": shuffled.texts,
                    "left": shuffled.left,
                    "one_word": shuffled.one_word,
                    "mean_degree": shuffled.mean,
                    "smallest_degree": shuffled.least,
                    "examples": len(versions),
                    "same_as_right": sum(version.same_as_right > 0 for version in versions),
                    "cut": int((made.inputs[Version(name, at)].cut > 0).sum()),
                }
            )
    return pd.DataFrame(rows)


def passages_of(questions: Sequence[Question]) -> Groups:
    """The number of each question's passage."""
    return np.unique([question.passage for question in questions], return_inverse=True)[1]


def scores_table(outcomes: pd.DataFrame, groups: Groups, resamples: int, seed: int) -> pd.DataFrame:
    """One row a condition: the values of `SCORES`.

    A control and its attack have another row, of the questions that are told apart.

    Args:
        outcomes: of one reader (`outcome_rows`), questions in the order of `groups`.
    """
    answers = {
        (str(condition), str(at)): (rows["right"].to_numpy(float), rows["told_apart"].to_numpy())
        for (condition, at), rows in outcomes.groupby(["condition", "at"], sort=False)
    }
    wanted = [(condition, at, ALL) for condition, at in answers]
    wanted += [
        (condition, attack, control)
        for attack, controls in CONTROLS.items()
        if (attack, attack) in answers
        for control in controls
        for condition in (attack, control)
    ]
    rows, values = [], []
    for condition, at, among in wanted:
        right, _ = answers[condition, at]
        counts = np.ones(len(right), dtype=bool)
        if among != ALL:
            counts = answers[at, at][1] & answers[among, at][1]
        sizes = {"examples": int(counts.sum()), "passages": len(np.unique(groups[counts]))}
        rows.append({"condition": condition, "at": at, "among": among} | sizes)
        values.append(np.where(counts, right, np.nan))
    means = _means("accuracy", np.array(values), groups, resamples, seed)
    return pd.DataFrame(rows).assign(**means)


def baselines_table(
    questions: Sequence[Question], unit: Unit, groups: Groups, resamples: int, seed: int
) -> pd.DataFrame:
    """One row a baseline: the values of `BASELINES`."""
    values = np.array([random_guess(questions), longest_option(questions, unit)])
    sizes = {"examples": len(questions), "passages": len(np.unique(groups))}
    means = _means("accuracy", values, groups, resamples, seed)
    return pd.DataFrame({"model": [GUESS, LONGEST], **sizes, **means})


def _means(
    column: str,
    values: Float[np.ndarray, "row question"],
    groups: Groups,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    """The columns of the mean over questions, with interval and resamples."""
    means = resampled_means(values, groups, resamples, seed)
    return estimate_columns(column, means.value, means.low, means.high, means.drawn)


def parts_table(to_parts: ToParts, groups: Groups, resamples: int, seed: int) -> pd.DataFrame:
    """One row a part: the values of `CLS`."""
    share = to_parts.shares.astype(float).mean((2, 3))
    beyond = beyond_tokens(to_parts).mean((2, 3))
    return pd.DataFrame(
        {
            "part": list(PARTS),
            "tokens": to_parts.tokens.mean(1),
            "examples": len(groups),
            **_means("share", share, groups, resamples, seed),
            **_means("beyond", beyond, groups, resamples, seed),
        }
    )


def parts_of_heads(to_parts: ToParts) -> pd.DataFrame:
    """One row a part, layer and head: the values of `CLS_HEADS`, means over questions."""
    parts, _, layers, heads = to_parts.shares.shape
    part, layer, head = (number.ravel() for number in np.indices((parts, layers, heads)))
    return pd.DataFrame(
        {
            "part": np.array(PARTS)[part],
            "layer": layer,
            "head": head,
            "share": to_parts.shares.mean(1, dtype=float).ravel(),
            "beyond": beyond_tokens(to_parts).mean(1).ravel(),
        }
    )
