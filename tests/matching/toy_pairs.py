"""A tokenizer's view of made-up pairs, and maps of heads that do one thing."""

import numpy as np

from stages.core.recordings.tokens import Special
from stages.matching.terms import Terms

LAYERS, HEADS = 4, 3
# Of the lower half, of unlike layers and heads: two that match; one that looks as far ahead as the
# other text is (by place), one that looks at the first term of the other text, whatever asks.
MATCHING = ((0, 2), (1, 1))
BY_PLACE, BY_KEY = (0, 1), (1, 2)
# Of the upper half: its [CLS] row is on shared terms.
READING = (3, 1)
FREQUENT = 2  # words with smaller numbers are function words


def pair(generator: np.random.Generator, length: int = 6) -> Terms:
    """[CLS] a [SEP] b [SEP], both of so many words; two terms of one stand in the other too."""
    vocabulary = 10 + generator.permutation(40)
    first, second = vocabulary[:length].copy(), vocabulary[length : 2 * length].copy()
    here, there = (generator.permutation(length)[:3] for _ in range(2))
    second[there[:2]] = first[here[:2]]
    first[here[2]] = second[there[2]] = generator.integers(FREQUENT)
    word = np.array([-1, *first, -1, *second, -1])
    special = np.full(len(word), Special.NONE)
    special[[0, length + 1, -1]] = Special.CLS, Special.SEP, Special.SEP
    segment = np.array([0] * (length + 2) + [1] * (length + 1))
    return Terms(word, word >= FREQUENT, segment, special)


def maps(generator: np.random.Generator, terms: Terms) -> np.ndarray:
    """[layer, head, query, key]: the heads above, all others by chance."""
    count = len(terms.word)
    found = generator.dirichlet(np.ones(count), (LAYERS, HEADS, count))
    length = count // 2 - 1
    goals = terms.same | (np.eye(count, dtype=bool) & ~terms.same.any(1)[:, None])
    for place in MATCHING:
        found[place] = goals / goals.sum(1, keepdims=True)
    across = np.arange(count)
    across[1 : length + 1] += length + 1
    across[length + 2 : -1] -= length + 1
    found[BY_PLACE] = np.eye(count)[across]
    at = np.flatnonzero(terms.shared)
    keys = np.where(terms.segment == 0, at[terms.segment[at] == 1][0], at[0])
    found[BY_KEY] = np.eye(count)[keys]
    found[READING][0] = terms.shared / terms.shared.sum()
    return found


def figures(count: int, seed: int = 0, noise: bool = False) -> np.ndarray:
    """[plane, example, layer, head] of so many pairs; with `noise` every head is by chance."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        terms = pair(generator)
        own = maps(generator, terms)
        if noise:
            own = generator.dirichlet(np.ones(own.shape[-1]), own.shape[:-1])
        found.append(np.einsum("lhqk,pqk->plh", own, terms.planes()))
    return np.stack(found, axis=1)
