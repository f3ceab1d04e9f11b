"""Which heads hurt: chosen on one half of the examples, to be scored on the other.

A head hurts where the loss is lower without it. A half ranks the few heads without which, each
alone, its mean loss falls most: one grid of single heads serves every half. A head that
hurts alone may be needed once others are ablated. So the first one, two and more of the ranks are
tried together on the same half, which takes those that lower its loss most. (A forward selection,
which tries every head again after each ablation, would need a grid for each half and step.) Each
half chooses for the other, in several divisions, so that the score depends less on one.
"""

import numpy as np
from jaxtyping import Bool, Float, Int

Head = tuple[int, int]


def divide(
    choosing: Bool[np.ndarray, " example"], divisions: int, seed: int
) -> Int[np.ndarray, "division example"]:
    """0 or 1 for each example: halves that both have half of the examples that choose.

    Args:
        choosing: whether an example's loss without each head is known.
    """
    generator = np.random.default_rng([seed, 3])
    sides = np.zeros((divisions, len(choosing)), dtype=int)
    for side in sides:
        for group in (choosing, ~choosing):
            side[group] = generator.permutation(group.sum()) % 2
    return sides


def harmful_heads(changes: Float[np.ndarray, "example layer head"], most: int) -> tuple[Head, ...]:
    """The heads without which the mean loss falls most, in this order; none where it never falls.

    There are `most` at most.

    Args:
        changes: of each example's loss with one head ablated.
    """
    mean = changes.mean(axis=0)
    first = np.argsort(mean, axis=None, kind="stable")[:most]
    chosen = [divmod(int(index), mean.shape[1]) for index in first]
    return tuple(head for head in chosen if mean[head] < 0)


def as_many_as_help(
    ranked: tuple[Head, ...], without: Float[np.ndarray, "prefix example"]
) -> tuple[Head, ...]:
    """The first of the ranked heads, as many as lower the mean loss most together.

    Args:
        without: losses without the first one, two, ... of them.
    """
    if not ranked:
        return ()
    return tuple(sorted(ranked[: int(without.mean(axis=1).argmin()) + 1]))


def rank(
    changes: Float[np.ndarray, "example layer head"],
    sides: Int[np.ndarray, "division example"],
    most: int,
) -> list[tuple[tuple[Head, ...], tuple[Head, ...]]]:
    """The heads that each half of each division ranks first; see `harmful_heads`."""
    return [
        (harmful_heads(changes[side == 0], most), harmful_heads(changes[side == 1], most))
        for side in sides
    ]


def random_heads(
    layers: int, heads: int, count: int, draws: int, seed: int
) -> list[tuple[Head, ...]]:
    """`draws` sets of `count` of all heads."""
    generator = np.random.default_rng([seed, 4])
    drawn = [generator.permutation(layers * heads)[:count].tolist() for _ in range(draws)]
    return [tuple(sorted(divmod(index, heads) for index in places)) for places in drawn]


def widening(
    changes: Float[np.ndarray, "some layer head"],
    sides: Int[np.ndarray, "division example"],
    rows: Int[np.ndarray, " some"],
    most: int,
    weights: Int[np.ndarray, "resample some"],
) -> float:
    """How much wider choosing both ways makes the interval of a held-out score, 1 or more.

    Where a head's loss is low by chance on one half, that half chooses it; where the other half
    chose it as well, it scores low there: the errors of both directions go together, which
    resamples under chosen heads that stay the same do not show. So the choice is made on resamples
    too, with the effects of heads, each alone, in place of those of sets. As resamples scatter
    around effects that scatter already, a half's effects are first drawn to their mean by what of
    their variance is noise (James and Stein 1961).

    Args:
        sides: of all examples that score; those of `rows` choose as well.
        weights: of these on resamples.

    Returns:
        The standard deviation of the score's error with choices made anew, over that without.
    """
    flat = changes.reshape(len(changes), -1)
    same, anew = 0.0, 0.0
    for side in sides[:, rows]:
        means, noise, likely = [], [], []
        for half in (0, 1):
            of_half = weights * (side == half)
            mean = flat[side == half].mean(axis=0)
            error = of_half @ flat / of_half.sum(axis=1, keepdims=True) - mean
            true = max(0.0, 1 - error.var(axis=0).mean() / max(mean.var(), np.finfo(float).tiny))
            means.append(mean)
            noise.append(error)
            likely.append(mean.mean() + true * (mean - mean.mean()) + error)
        for half in (0, 1):
            same = same + (noise[1 - half] * _lowest(means[half][None], most)).sum(axis=1)
            anew = anew + (noise[1 - half] * _lowest(likely[half], most)).sum(axis=1)
    if np.std(same) == 0:
        return 1.0
    more = max(0.0, np.var(anew) / np.var(same) - 1)
    # The errors of the others know nothing of the choice, and add their share of the variance.
    return float(np.sqrt(1 + len(rows) / sides.shape[1] * more))


def _lowest(
    effects: Float[np.ndarray, "resample place"], most: int
) -> Bool[np.ndarray, "resample place"]:
    """Those that `harmful_heads` would choose."""
    ranks = effects.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return (ranks < most) & (effects < 0)
