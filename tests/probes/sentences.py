"""Sentences made by hand for tests of probes."""

from collections.abc import Sequence

import numpy as np
import torch

from stages.probes.models import Choices
from stages.probes.sentences import FIRST_WORD, ROOT, Sentence
from stages.probes.settings import Probes

SOUND = Choices(root="cls", words="aligned", distances="linear")
PARAMETERS = Probes(
    corpora=["tested"],
    train_on=None,
    vectors=None,
    vector_size=100,
    choices=[SOUND],
    penalty=1.0,
    iterations=500,
    resamples=100,
    seed=0,
)


def sentence(
    maps: np.ndarray,
    heads: Sequence[int],
    group: int = 0,
    punctuation: Sequence[int] = (),
    words: Sequence[int] | None = None,
    forms: Sequence[str] = (),
) -> Sentence:
    """A sentence of `len(heads)` words.

    Args:
        maps: [head, candidate, candidate]: [CLS], [SEP], then the words.
        heads: by number of word; -1 for the root, None for a word that is not scored.
        punctuation: numbers of words.
    """
    candidates = [-1 if h is None else ROOT if h < 0 else h + FIRST_WORD for h in heads]
    marks = torch.zeros(len(heads) + FIRST_WORD, dtype=torch.bool)
    marks[[place + FIRST_WORD for place in punctuation]] = True
    return Sentence(
        torch.from_numpy(np.asarray(maps, dtype=np.float32)),
        torch.tensor([-1] * FIRST_WORD + candidates),
        marks,
        group,
        None if words is None else torch.tensor([0, 0, *words]),
        tuple(forms or map(str, heads)),
    )


def random_heads(generator: np.random.Generator, count: int) -> list[int]:
    """A head for every word, drawn among the others and the root."""
    return [int(generator.choice([h for h in range(-1, count) if h != w])) for w in range(count)]


def random_maps(generator: np.random.Generator, heads: int, words: int) -> np.ndarray:
    """Attention that has nothing to do with anything."""
    size = words + FIRST_WORD
    return generator.dirichlet(np.ones(size), (heads, size))


def pointing(maps: np.ndarray, head: int, gold: Sequence[int], back: bool = False) -> np.ndarray:
    """The maps with one head that attends from words to their heads, or the other way round."""
    maps = maps.copy()
    maps[head] = 0.01
    for word, goal in enumerate(gold):
        place = (word + FIRST_WORD, ROOT if goal < 0 else goal + FIRST_WORD)
        maps[(head, *(place[::-1] if back else place))] = 0.9
    return maps
