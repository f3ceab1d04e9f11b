"""The states of words in every layer, made once and kept on disk.

Memory holds one batch: the states of 40,000 sentences are gigabytes. A file that is read piece by
piece keeps them, not a mapping, whose pages would count as memory of the process.
"""

import copy
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Float16, Int
from torch import Tensor, nn
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from stages.core.encoder.batches import encode, fitting
from stages.core.encoder.families import family_of, longest_input
from stages.core.maps.words import FromPieces, membership, present
from stages.core.recordings.tokens import token_table
from stages.core.stage.files import InputError
from stages.core.stimuli.store import corpus_of
from stages.layer_probes.tables import EMBEDDINGS, LAYER, WORD_EMBEDDINGS

BATCH_NUMBERS = 3_000_000  # of states that are in memory together
Words = Sequence[tuple[str, ...]]


def state_table(layers: int) -> pd.DataFrame:
    """What the states of a word are, in their order: columns state, layer."""
    states = [WORD_EMBEDDINGS, EMBEDDINGS, *[LAYER] * layers]
    return pd.DataFrame({"state": states, "layer": [-1, -1, *range(layers)]})


class StateFile:
    """States of the words of sentences, one word behind another, in float16.

    Attributes:
        starts: the first word of every sentence, and behind them the number of all words.
        shape: states of a word, and the size of each.
    """

    def __init__(self, file: int, lengths: Sequence[int], shape: tuple[int, int]):
        self.starts: Int[np.ndarray, " start"] = np.concatenate([[0], np.cumsum(lengths)])
        self.shape = shape
        self._file, self._bytes = file, 2 * shape[0] * shape[1]

    def __len__(self) -> int:
        """How many sentences there are."""
        return len(self.starts) - 1

    def write(self, sentence: int, states: Float16[np.ndarray, "word state size"]) -> None:
        """Keep the states of a sentence's words."""
        left, position = memoryview(states).cast("B"), int(self.starts[sentence]) * self._bytes
        while left:
            done = os.pwrite(self._file, left, position)
            left, position = left[done:], position + done

    def read(self, first: int, last: int) -> Float[Tensor, "word state size"]:
        """The states of the words of the sentences from `first` on, `last` not included."""
        begin, end = (int(self.starts[number]) for number in (first, last))
        buffer = np.empty((end - begin, *self.shape), dtype=np.float16)
        left, position = memoryview(buffer).cast("B"), begin * self._bytes
        while left:
            done = os.preadv(self._file, [left], position)
            if not done:
                raise EOFError("states were read that were never written")
            left, position = left[done:], position + done
        return torch.from_numpy(buffer).float()


@contextmanager
def state_file(folder: Path, lengths: Sequence[int], shape: tuple[int, int]) -> Iterator[StateFile]:
    """Yield an empty file in `folder` that is gone afterwards, however the process ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder) as file:
        yield StateFile(file.fileno(), lengths, shape)


class WordStates:
    """An encoder that gives the states of words, in all layers and before them.

    Args:
        pieces: the state of a word in pieces: their mean, or that of its first.
    """

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, pieces: FromPieces
    ):
        self.model, self.tokenizer, self.pieces = model.eval(), tokenizer, pieces
        self.states = state_table(model.config.num_hidden_layers)
        self.shape = (len(self.states), model.config.hidden_size)
        self._plain = _without_position(model)

    def of(
        self, words: Words, numbers: int = BATCH_NUMBERS
    ) -> Iterator[tuple[int, Float16[np.ndarray, "word state size"]]]:
        """Yield every sentence's number with the states of its words, long sentences first.

        Args:
            numbers: of the states of tokens that are in memory together.

        Raises:
            InputError: a sentence is too long, or a state no number in float16.
        """
        corpus = corpus_of(pd.DataFrame({"id": range(len(words)), "words": words}))
        longest = longest_input(self.model.config)
        encoded = encode(self.tokenizer, corpus, longest)
        pieces = token_table(self.tokenizer, corpus, encoded, longest)["word"]
        rows, per_token = np.arange(len(words)), self.shape[0] * self.shape[1]
        with tqdm(total=len(words), desc="states", unit="sentence") as progress:
            for batch_rows in fitting(rows, encoded.lengths, lambda n: n * per_token, numbers):
                batch = encoded.batch(batch_rows, self.model.device)
                parts = membership([pieces[row] for row in batch_rows], _width(batch.inputs))
                for row, states, known in zip(
                    batch_rows, self._read(batch.inputs, parts), present(parts), strict=True
                ):
                    count = len(words[row])
                    whole = len(known) >= count and bool(known[:count].all())
                    if not whole or not np.isfinite(states[:count]).all():
                        raise InputError(
                            f"the sentence {' '.join(words[row])!r} has a word without tokens, or "
                            "one whose state is beyond float16; leave it out of the stimuli"
                        )
                    yield int(row), np.ascontiguousarray(states[:count])
                progress.update(len(batch_rows))

    @torch.inference_mode()
    def _read(
        self,
        inputs: dict[str, Int[Tensor, "sentence token"]],
        parts: Float[Tensor, "sentence word token"],
    ) -> Float16[np.ndarray, "sentence word state size"]:
        """The states of words: 0 for what is padding."""
        hidden = self.model(**inputs, output_hidden_states=True).hidden_states
        states = torch.stack([self._plain(input_ids=inputs["input_ids"]), *hidden], dim=1)
        asking = parts * (parts.cumsum(-1) == 1) if self.pieces == "first" else parts
        asking = asking / asking.sum(-1, keepdim=True).clamp_min(1)
        of_words = asking.to(states)[:, None] @ states
        return of_words.transpose(1, 2).half().cpu().numpy()


def _width(inputs: dict[str, Tensor]) -> int:
    return inputs["input_ids"].shape[1]


def _without_position(model: PreTrainedModel) -> nn.Module:
    """The embeddings of an encoder whose positions and segments are 0: words alone, and the norm.

    Where the encoder widens its embeddings before the lowest layer (ELECTRA), so is this.
    """
    family = family_of(model.config)
    embeddings = copy.deepcopy(model.base_model.embeddings)
    for name in (family.position_embeddings, family.segment_embeddings):
        if name is not None:
            getattr(embeddings, name).weight.data.zero_()
    widened = getattr(model.base_model, "embeddings_project", None)
    return embeddings if widened is None else _Widened(embeddings, widened)


class _Widened(nn.Module):
    """Embeddings, and the layer that widens them."""

    def __init__(self, embeddings: nn.Module, widened: nn.Module):
        super().__init__()
        self.embeddings, self.widened = embeddings, widened

    def forward(self, input_ids: Int[Tensor, "sentence token"]) -> Float[Tensor, "..."]:
        return self.widened(self.embeddings(input_ids=input_ids))
