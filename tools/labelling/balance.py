"""Which candidates to draw, so that every class is there and every fold has its part of each.

What a candidate's class is, is guessed; `guess` in a table of candidates holds it.
"""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from stages.patterns.labelled_maps import CLASSES, PART

# Share of each class among the drawn maps, by the rough guess: rare ones are over-drawn.
SHARES = {
    "vertical": 0.22,
    "diagonal": 0.18,
    "vertical+diagonal": 0.2,
    "block": 0.2,
    "heterogeneous": 0.2,
}


def shuffled_guesses(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The candidates with the guesses of each head of each model dealt out to its maps by chance.

    A head is drawn for a class as often as by the guesses themselves, but no map is drawn because
    the classifier takes it for one of that class. Texts of as many examples count as a group, as
    some heads keep to the sentences of long texts only.
    """
    generator = np.random.default_rng(seed)
    parts = table["example"].str.count(re.escape(PART)).rename("parts")
    group = [*(table[name] for name in ("task", "arm", "seed", "layer", "head")), parts]
    return table.assign(guess=table.groupby(group)["guess"].transform(generator.permutation))


def fold_of_heads(table: pd.DataFrame, folds: int) -> dict[tuple[int, int], int]:
    """Deal the heads out to the folds so that each fold has its part of every class.

    Each head goes where its classes are lacking most, rare classes counting more.

    Args:
        table: one row a candidate with layer, head and guess.
    """
    shares = pd.crosstab([table["layer"], table["head"]], table["guess"], normalize="index")
    shares = shares.reindex(columns=list(CLASSES), fill_value=0.0)
    scaled = shares / shares.sum().clip(lower=1e-9)
    room = -(-len(shares) // folds)
    held, sizes = np.zeros((folds, len(CLASSES))), np.zeros(folds, dtype=int)
    fold_of: dict[tuple[int, int], int] = {}
    for head in scaled.max(axis=1).sort_values(ascending=False, kind="stable").index:
        cost = held @ scaled.loc[head].to_numpy() + 1e-3 * sizes + np.where(sizes < room, 0, np.inf)
        fold = int(np.argmin(cost))
        held[fold] += scaled.loc[head].to_numpy()
        sizes[fold] += 1
        fold_of[head] = fold
    return fold_of


def choose(
    table: pd.DataFrame, folds: int, count: int, seed: int, classes: Sequence[str] = CLASSES
) -> list[int]:
    """Choose `count` candidates, the same number in each fold, by the `SHARES` of `classes`.

    Within a fold and a class the head and then the item that were chosen least so far come first.
    Where a class has too few candidates, the others of `classes` fill up.

    Returns:
        Positions in `table`, shuffled, so that the order tells an annotator nothing.
    """
    generator = np.random.default_rng(seed)
    chosen: list[int] = []
    for fold in range(folds):
        mine = table.index[table["fold"] == fold].to_numpy()
        mine = generator.permutation(mine)
        heads: dict[tuple, int] = {}
        items: dict[tuple, int] = {}
        left = {name: [k for k in mine if table.at[k, "guess"] == name] for name in classes}
        target = {name: SHARES[name] * count / folds for name in classes}
        taken = dict.fromkeys(classes, 0)
        while sum(taken.values()) < count // folds and any(left.values()):
            name = min(
                (name for name in classes if left[name]),
                key=lambda name: taken[name] / target[name],
            )
            head_of = lambda k: (table.at[k, "layer"], table.at[k, "head"])  # noqa: E731
            item_of = lambda k: (table.at[k, "task"], table.at[k, "example"])  # noqa: E731
            best = min(
                left[name], key=lambda k: (heads.get(head_of(k), 0), items.get(item_of(k), 0))
            )
            left[name].remove(best)
            taken[name] += 1
            heads[head_of(best)] = heads.get(head_of(best), 0) + 1
            items[item_of(best)] = items.get(item_of(best), 0) + 1
            chosen.append(int(best))
    return generator.permutation(chosen).tolist()
