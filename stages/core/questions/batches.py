"""Batches of questions: the options of a question stay together, and little is padding.

A batch costs as many tokens as it has rows, times those of its longest row. `lengths` below are the
tokens of each question's longest row, `counts` its rows: one an option.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from jaxtyping import Int

Questions = Int[np.ndarray, " part"]


def steps_of_epoch(
    lengths: Int[np.ndarray, " question"], batch: int, pool: int, seed: int, epoch: int
) -> Int[np.ndarray, "step batch"]:
    """The questions of every training step of an epoch, drawn from (seed, epoch).

    Every step has `batch` questions. The order is drawn, cut into pools of `pool` steps, and each
    pool sorted by length, so that steps have questions of like lengths; the order of the steps is
    drawn as well. Questions beyond a multiple of `batch`, others in each epoch, are left out.

    Raises:
        ValueError: there are fewer questions than one batch.
    """
    steps = len(lengths) // batch
    if not steps:
        raise ValueError(f"{len(lengths)} questions are fewer than a batch of {batch}")
    generator = np.random.default_rng([seed, epoch])
    drawn = generator.permutation(len(lengths))[: steps * batch]
    pools = np.split(drawn, range(batch * pool, len(drawn), batch * pool))
    by_length = [one[np.argsort(lengths[one], kind="stable")] for one in pools]
    return generator.permutation(np.concatenate(by_length).reshape(-1, batch))


def rows_of_tokens(length: int, tokens: int) -> int:
    """How many rows of `length` tokens have so many together at most."""
    return tokens // length


def passes(
    questions: Questions,
    lengths: Int[np.ndarray, " question"],
    counts: Int[np.ndarray, " question"],
    tokens: int,
    most_rows: Callable[[int, int], int] = rows_of_tokens,
) -> Iterator[Questions]:
    """Yield questions in parts of at most so many tokens, their padding counted; longest first.

    A question with more tokens than that is a part by itself. For training, parts of one step whose
    gradients are added up; for prediction, parts of all questions. Longest first, so that too large
    a part fails at once.

    Args:
        most_rows: how many rows of a length (its first argument) a part of so many tokens (its
            second) has at most; another one where memory grows faster than tokens.
    """
    order = questions[np.argsort(-lengths[questions], kind="stable")]
    part: list[int] = []
    rows = 0
    for question in order:
        # The first of a part is its longest.
        width = int(lengths[part[0] if part else question])
        if part and rows + int(counts[question]) > most_rows(width, tokens):
            yield np.array(part, dtype=int)
            part, rows = [], 0
        part.append(int(question))
        rows += int(counts[question])
    if part:
        yield np.array(part, dtype=int)


def padding_share(
    parts: Sequence[Int[np.ndarray, " _"]],
    row_lengths: Int[np.ndarray, " option"],
    counts: Int[np.ndarray, " question"],
) -> float:
    """The share of a batch's places that are padding, over all parts together.

    Args:
        parts: the questions of each.
        row_lengths: tokens of every option's row, those of a question below each other.
    """
    starts = np.cumsum(counts) - counts
    real = places = 0
    for part in parts:
        rows = np.concatenate([np.arange(starts[q], starts[q] + counts[q]) for q in part])
        real += int(row_lengths[rows].sum())
        places += len(rows) * int(row_lengths[rows].max())
    return 1 - real / places
