"""Vectors of words, for probes: the encoder's own embeddings, or a file in GloVe's text format."""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from stages.core.encoder.checkpoint import load_encoder
from stages.core.maps.words import membership
from stages.core.recordings.recording import LiveRecording
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE

ENCODER = "encoder"  # in place of a file's name


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
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
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
