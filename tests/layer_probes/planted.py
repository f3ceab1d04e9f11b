"""States of made-up sentences, in one of which the word that is meant stands out."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from stages.layer_probes.sentences import NO_TARGET, ProbedSentences
from stages.layer_probes.states import StateFile, state_file

STATES, SIZE, PLANTED = 5, 16, 3
DIRECTION = np.where(np.arange(SIZE) % 3, 0.0, 4.0)


@contextlib.contextmanager
def planted(
    folder: Path, count: int, probes: int, planted_at: int | None = PLANTED
) -> Iterator[tuple[StateFile, ProbedSentences]]:
    """Sentences of 3 to 9 words with normal states, asked about by each probe with chance 0.8.

    The word that the first probe means is moved along `DIRECTION` in the state `planted_at`.
    """
    generator = np.random.default_rng(0)
    lengths = generator.integers(3, 10, count)
    targets = generator.integers(0, lengths[:, None], (count, probes))
    targets[generator.random((count, probes)) < 0.2] = NO_TARGET
    with state_file(folder, lengths.tolist(), (STATES, SIZE)) as states:
        for sentence, (length, target) in enumerate(zip(lengths, targets[:, 0], strict=True)):
            own = generator.normal(size=(length, STATES, SIZE))
            if planted_at is not None and target != NO_TARGET:
                own[target, planted_at] += DIRECTION
            states.write(sentence, own.astype(np.float16))
        words = [("word",) * length for length in lengths.tolist()]
        yield states, ProbedSentences(words, torch.from_numpy(targets))


def first(sentences: ProbedSentences, count: int) -> ProbedSentences:
    """The first sentences alone."""
    return ProbedSentences(sentences.words[:count], sentences.targets[:count])
