"""Means over the sentences of each condition, on resamples of lexical items."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from stages.confusion.tables import NAMES
from stages.core.intervals.held_out import SPLITS
from stages.core.stimuli.lexical_items import item_numbers, sentence_divisions, sentence_weights

FACTORS = ["phenomenon", "modifier", "matching", "auxiliary"]


@dataclass(frozen=True)
class StimulusCondition:
    """Sentences of equal factors.

    `rows` are their places among the stimuli; `facts` the columns of a table that tell conditions
    apart.
    """

    rows: Int[np.ndarray, " own"]
    facts: dict[str, str | int | float]

    @property
    def phenomenon(self) -> str:
        return str(self.facts["phenomenon"])


def conditions_of(stimuli: pd.DataFrame) -> list[StimulusCondition]:
    """The conditions in the order of `NAMES`; other sentences are left out."""
    conditions = []
    groups = stimuli.reset_index(drop=True).groupby(FACTORS).groups
    for factors, name in NAMES.items():
        if factors not in groups:
            continue
        rows = groups[factors].to_numpy()
        alike = stimuli.iloc[rows]
        distractors = int(alike["distractors"].iloc[0])
        facts = dict(zip(FACTORS, factors, strict=True)) | {
            "condition": name,
            "distractors": distractors,
            "chance": float(np.log2(1 + distractors)),
            "sentences": len(rows),
            "items": len({item for items in alike["items"] for item in items}),
        }
        conditions.append(StimulusCondition(rows, facts))
    return conditions


class Resampling:
    """Lexical items drawn anew: all conditions, heads and encoders on the same draws.

    Args:
        stimuli: sentences of one phenomenon, or of several that have no item in common: those of
            each are drawn by themselves.
    """

    def __init__(self, stimuli: pd.DataFrame, resamples: int, seed: int):
        count = len(stimuli)
        self.weights = np.ones((1 + resamples, count))
        # Sentences that select and those that are scored, each division both ways.
        self.ways = np.zeros((2 * SPLITS, 2, count), dtype=bool)
        self.items: dict[str, int] = {}
        for phenomenon, places in (
            stimuli.reset_index(drop=True).groupby("phenomenon").groups.items()
        ):
            items = stimuli["items"].iloc[places].tolist()
            self.items[str(phenomenon)] = len(item_numbers(items)[0])
            self.weights[:, places] = sentence_weights(items, resamples, seed)
            self.ways[..., places] = sentence_divisions(items, seed)

    def means(
        self,
        values: Float[np.ndarray, "sentence column"],
        rows: Int[np.ndarray, " own"],
        among: Bool[np.ndarray, " sentence"] | None = None,
    ) -> Float[np.ndarray, "line column"]:
        """Means over sentences, those of the data in the first line.

        Args:
            among: sentences that count; by default all.
        """
        if among is not None:
            rows = rows[among[rows]]
        weights = self.weights[:, rows]
        with np.errstate(invalid="ignore", divide="ignore"):
            return weights @ values[rows] / weights.sum(1, keepdims=True)

    def least_confused(
        self,
        heads: Float[np.ndarray, "sentence layer head"],
        conditions: list[StimulusCondition],
    ) -> Float[np.ndarray, "condition place line"]:
        """What the head with least confusion on half of the items has on the other half.

        One head for all conditions, by its mean over them; the mean over both halves and several
        divisions into halves. Each resample chooses anew. Sentences that mix items of both halves
        are left out.

        Returns:
            For each condition the head of all layers, then that of each layer.
        """
        layers, count = heads.shape[1:]
        flat = heads.reshape(len(heads), -1)
        lines = np.arange(len(self.weights))
        found = []
        for choosing, scored in self.ways:
            chosen = [self.means(flat, one.rows, choosing) for one in conditions]
            votes = _known_mean(np.stack(chosen))
            own = [self.means(flat, one.rows, scored) for one in conditions]
            picks = [votes.argmin(1)]
            for layer in range(layers):
                inside = slice(layer * count, (layer + 1) * count)
                picks.append(votes[:, inside].argmin(1) + layer * count)
            found.append([[table[lines, pick] for pick in picks] for table in own])
        return _known_mean(np.array(found))


def _known_mean(values: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """The mean over the first axis of what is known; NaN where nothing is."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0).sum(0) / known.sum(0)
