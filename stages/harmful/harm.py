"""Tables of one encoder: its heads on the halves of each division, and what tells them apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from stages.core.intervals.intervals import percentile_interval
from stages.core.outcomes.paired import draw_weights
from stages.core.tables import drawn_of, estimate_columns
from stages.core.tasks.metrics import predictions_from_logits
from stages.harmful.choices import Head
from stages.harmful.saving import Sizes, saved
from stages.harmful.scores import Cut, example_losses
from stages.harmful.spread import COLUMNS, most_helped, spread_row


@dataclass(frozen=True)
class Harm:
    """The measures of one encoder.

    Attributes:
        examples: all that are scored; `rows` are the places of those that choose.
        changes: of these examples' losses without each head alone.
        chosen: by each half of each division.
        attention: confidence and entropy of each head's maps on them.
    """

    cut: Cut
    examples: pd.DataFrame
    rows: Int[np.ndarray, " some"]
    changes: Float[np.ndarray, "some layer head"]
    chosen: Sequence[tuple[tuple[Head, ...], tuple[Head, ...]]]
    attention: Float[np.ndarray, "2 some layer head"]

    @property
    def heads_ablated(self) -> float:
        """How many heads a half chose, on average."""
        return float(np.mean([len(heads) for pair in self.chosen for heads in pair]))

    @property
    def places(self) -> pd.DataFrame:
        """Layer and head of each head, layer by layer."""
        layer, head = (keys.ravel() for keys in np.indices(self.changes.shape[1:]))
        return pd.DataFrame({"layer": layer, "head": head})

    def is_chosen(self, heads: tuple[Head, ...]) -> Float[np.ndarray, " place"]:
        """1 for each head that is in a set."""
        chosen = np.zeros(self.changes.shape[1:])
        for head in heads:
            chosen[head] = 1
        return chosen.ravel()


def halves_table(
    harm: Harm, losses: Float[np.ndarray, " some"], resamples: int, seed: int
) -> pd.DataFrame:
    """The heads' effects on each half of each division; resamples draw all examples alike.

    Args:
        losses: of the examples that choose, with all heads on.
    """
    changes = harm.changes.reshape(len(harm.rows), -1)
    weights = draw_weights(len(harm.rows), resamples, seed)
    tables = []
    for division, (side, sets) in enumerate(zip(harm.cut.sides, harm.chosen, strict=True)):
        for half in (0, 1):
            in_half = side[harm.rows] == half
            keys = {"division": division, "half": half, "examples": int(in_half.sum())}
            values = {
                "chosen": harm.is_chosen(sets[half]).astype(bool),
                "full": losses[in_half].mean(),
                "loss": changes[in_half].mean(axis=0),
                drawn_of("loss"): list(_means(changes, weights * in_half).T),
            }
            tables.append(harm.places.assign(**keys, **values))
    return pd.concat(tables, ignore_index=True)


def heads_table(harm: Harm, resamples: int, seed: int) -> pd.DataFrame:
    """One row a head: effect, confidence, entropy, and which share of the halves chose it."""
    weights = draw_weights(len(harm.rows), resamples, seed)
    sets = [heads for pair in harm.chosen for heads in pair]
    table = harm.places.assign(
        examples=len(harm.rows), chosen=np.mean([harm.is_chosen(heads) for heads in sets], axis=0)
    )
    figures = zip(("loss", "confidence", "entropy"), (harm.changes, *harm.attention), strict=True)
    for name, figure in figures:
        values = figure.reshape(len(harm.rows), -1)
        drawn = _means(values, weights).T
        mean = values.mean(axis=0), *percentile_interval(drawn)
        table = table.assign(**estimate_columns(name, *mean, drawn))
    return table


def spread_table(cut: Cut, kind: str, resamples: int, seed: int) -> pd.DataFrame:
    """How the fall of the loss is spread over examples: of the chosen heads, and of random ones.

    The fall of an example is the mean over the divisions, of the half that did not choose; an
    example for which no half chose any head is left out. Of random heads it is that of each set,
    and their figures' mean.
    """
    before = example_losses(cut.full, cut.labels, kind)
    held_out = before - example_losses(cut.held_out(), cut.labels, kind).mean(axis=0)
    any_ablated = (cut.held_out() != cut.full).any(axis=(0, 2))
    held_out = held_out[any_ablated] if any_ablated.any() else held_out
    few = cut.random_rows
    random = before[few] - example_losses(cut.random, cut.labels[few], kind)
    chosen = spread_row(held_out, resamples, seed, cut.widening) | {"heads": "chosen"}
    of_random = pd.DataFrame([spread_row(falls, resamples, seed) for falls in random])
    row: dict[str, Any] = {"examples": len(few), "heads": "random"}
    for name in COLUMNS:
        drawn = np.mean(list(of_random[drawn_of(name)]), axis=0)
        row |= estimate_columns(name, of_random[name].mean(), *percentile_interval(drawn))
        row[drawn_of(name)] = drawn
    return pd.DataFrame([chosen, row])


def examples_table(harm: Harm, kind: str, count: int) -> pd.DataFrame:
    """The examples that gain most without the heads that the half without them chose."""
    cut = harm.cut
    held_out = cut.held_out().mean(axis=0)
    losses = [
        example_losses(cut.full, cut.labels, kind),
        example_losses(cut.held_out(), cut.labels, kind).mean(axis=0),
    ]
    predictions = {
        name: predictions_from_logits(logits, kind)
        for name, logits in (("full", cut.full), ("cut", held_out))
    }
    columns = harm.examples[["id", "text_a", "text_b", "label"]]
    return most_helped(columns.assign(**predictions), np.stack(losses), count)


def saving_table(harm: Harm, sizes: Sizes, lengths: Int[np.ndarray, " example"]) -> pd.DataFrame:
    """The multiplications that an encoder without these heads would save."""
    ablated = harm.heads_ablated
    return pd.DataFrame([{"heads_ablated": ablated, **saved(sizes, ablated, lengths)}])


def _means(
    values: Float[np.ndarray, "some place"], weights: np.ndarray
) -> Float[np.ndarray, "resample place"]:
    return weights @ values / weights.sum(axis=1, keepdims=True)
