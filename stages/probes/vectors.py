"""Vectors of words, for probes: the encoder's own embeddings, or a file in GloVe's text format."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from stages.core.encoder.checkpoint import load_encoder
from stages.core.lines import numbered_lines
from stages.core.maps.words import membership
from stages.core.recordings.recording import LiveRecording
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE

ENCODER = "encoder"  # in place of a file's name


def distinct(
    vectors: Sequence[Float[Tensor, "_ size"]],
) -> tuple[Float[Tensor, "vector size"], list[Int[Tensor, " _"]]]:
    """One row for each vector that differs from all others, and the rows of every text's words.

    Row 0 is zero and stands for what has no vector.
    """
    rows, places = torch.unique(torch.cat(list(vectors)), dim=0, return_inverse=True)
    counts = [len(of_text) for of_text in vectors]
    return torch.cat([rows.new_zeros(1, rows.shape[1]), rows]), list((places + 1).split(counts))


def standardised(
    vectors: Float[Tensor, "vector size"], counts: Float[Tensor, " vector"], size: int
) -> Float[Tensor, "vector other_size"]:
    """Vectors around their mean on the axes along which they differ most, and a constant 1.

    Squared lengths average 1. The words of the texts that a probe is trained on alone say where
    the mean is, which axes there are, and how long the vectors.

    Args:
        counts: how often each vector stands in these texts. A vector of zeros, which says nothing,
            becomes the mean.
        size: how many axes, at most.
    """
    known = vectors.any(1)
    share = (counts * known / (counts * known).sum())[:, None]
    away = (vectors - (share * vectors).sum(0)) * known[:, None]
    _, axes = torch.linalg.eigh(((share * away).mT @ away).double())
    found = away @ axes.flip(1)[:, :size].float()
    length = (share * found**2).sum().sqrt()
    return torch.cat([found / length, torch.ones(len(vectors), 1)], dim=1)


def encoder_vectors(recording: LiveRecording, folder: Path) -> list[Float[Tensor, "word size"]]:
    """The mean of the embeddings of a word's pieces, without position, for the words of each text.

    Args:
        recording: gives the pieces.
        folder: of the encoder whose embeddings are taken, which may be another one.
    """
    table = load_encoder(folder).get_input_embeddings().weight.detach()
    found = []
    for ids, words in zip(
        recording.encoded.inputs["input_ids"], recording.tokens["word"], strict=True
    ):
        (parts,) = membership([words], len(ids))
        mean = parts / parts.sum(-1, keepdim=True).clamp_min(1)
        found.append(mean @ table[torch.tensor(ids)])
    return found


def file_vectors(path: Path, corpus: pd.DataFrame) -> list[Float[Tensor, "word size"]]:
    """The vectors of the words of each text, from a file of lines `word number number ...`.

    Words are looked up in lower case; a word that the file lacks gets zeros.

    Raises:
        InputError: there is no such file, or a line has another number of numbers.
    """
    if not path.is_file():
        raise InputError(
            f"{PARAMETER_FILE}: `probes.vectors` is {path}, which is not there; name a file in "
            "GloVe's text format, or encoder"
        )
    wanted = {word["text"].lower() for words in corpus["words"] for word in words}
    known: dict[str, np.ndarray] = {}
    size = None
    for number, line in numbered_lines(path):
        # Once their number is known: GloVe has words with spaces.
        text, *numbers = line.rstrip().rsplit(" ", size or -1)
        if size is None and len(numbers) == 1:
            continue  # word2vec's text format begins with its shape
        size = size or len(numbers)
        if len(numbers) != size:
            raise InputError(
                f"{path}, line {number}: {len(numbers)} numbers, not {size}; mend the line"
            )
        if text in wanted:
            known[text] = np.array(numbers, dtype=np.float32)
    zeros = np.zeros(size or 1, dtype=np.float32)
    return [
        torch.from_numpy(np.stack([known.get(w["text"].lower(), zeros) for w in words]))
        if words
        else torch.zeros(0, len(zeros))
        for words in corpus["words"]
    ]
