"""Attention of one encoder on one corpus, batch by batch, padding cut and zero.

Memory holds one batch, whatever the corpus: as many texts (at least one) as keep their maps, and
all that is read with them, below `MAP_NUMBERS` numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from tqdm import tqdm
from transformers import PreTrainedTokenizerBase

from stages.core.corpora.entries import load_corpus_entry
from stages.core.corpora.store import read_corpus
from stages.core.encoder.batches import Encoded, encode, fitting
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.configuration import read_config
from stages.core.encoder.tokenizer import load_tokenizer, require_positions
from stages.core.heads.layer_maps import layer_attention
from stages.core.heads.seam import Gated
from stages.core.recordings.store import MapStore
from stages.core.recordings.tokens import recorded_table, token_table
from stages.core.stage.arms import CORPUS_ARMS, RECORDED
from stages.core.stage.files import InputError
from stages.core.stage.places import CORPORA, ENCODERS

MAP_NUMBERS = 12_000_000
SEGMENT_IDS = "token_type_ids"


@dataclass(frozen=True)
class MapBatch:
    """Maps of some texts: rows and columns of padding are 0. `rows` are places in the corpus."""

    rows: Int[np.ndarray, " text"]
    lengths: Int[np.ndarray, " text"]
    maps: Float[Tensor, "text layer head query key"]

    @property
    def real(self) -> Bool[Tensor, "text token"]:
        """Which tokens are no padding."""
        lengths = torch.as_tensor(self.lengths, device=self.maps.device)
        return torch.arange(self.maps.shape[-1], device=self.maps.device) < lengths[:, None]


class ScoreBatch(NamedTuple):
    """Maps of some texts, and the queries and keys that they are made of."""

    maps: MapBatch
    queries: Float[Tensor, "text layer head token size"]
    keys: Float[Tensor, "text layer head token size"]


Read = TypeVar("Read")


class Recording(ABC):
    """Attention of one encoder on the texts of a corpus.

    Attributes:
        name: of the encoder.
        tokens: one row a text, as `stages.core.recordings.tokens.token_table` gives them.
        layers, heads: how many of each.
    """

    name: str
    tokens: pd.DataFrame
    layers: int
    heads: int

    @property
    def lengths(self) -> Int[np.ndarray, " text"]:
        """Tokens of every text."""
        return self.tokens["tokens"].map(len).to_numpy()

    @property
    def places(self) -> dict[str, str | Int[np.ndarray, " head"]]:
        """Columns of a table with one row a head: encoder, layer, head."""
        layer, head = np.divmod(np.arange(self.layers * self.heads), self.heads)
        return {"encoder": self.name, "layer": layer, "head": head}

    @property
    def head_keys(self) -> dict[str, str | Int[np.ndarray, " head"]]:
        """Key columns of a declared table with one row a head: arm, layer, head."""
        layer, head = np.divmod(np.arange(self.layers * self.heads), self.heads)
        return {"arm": self.name, "layer": layer, "head": head}

    def batches(self, rows: Int[np.ndarray, " drawn"] | None = None) -> Iterator[MapBatch]:
        """Yield the maps of the texts `rows` (all, by default), longest first."""
        return self._each(self._read, rows)

    def _each(
        self,
        read: Callable[[Int[np.ndarray, " text"]], Read],
        rows: Int[np.ndarray, " drawn"] | None,
        besides: int = 0,
    ) -> Iterator[Read]:
        """Yield `read` of every part; a head has `besides` numbers a token beside its map."""
        heads = self.layers * self.heads

        def numbers_of(length: int) -> int:
            return heads * length * (length + besides)

        rows = np.arange(len(self.tokens)) if rows is None else rows
        with tqdm(total=len(rows), desc=self.name, unit="text") as progress:
            for part in fitting(rows, self.lengths, numbers_of, MAP_NUMBERS):
                yield read(part)
                progress.update(len(part))

    @abstractmethod
    def _read(self, rows: Int[np.ndarray, " text"]) -> MapBatch:
        """The maps of some texts, which fit into memory together."""


class LiveRecording(Recording):
    """An encoder that runs when it is asked."""

    def __init__(self, name: str, gated: Gated, tokens: pd.DataFrame, encoded: Encoded):
        self.name, self.gated, self.tokens, self.encoded = name, gated, tokens, encoded
        self.layers, self.heads = gated.layers, gated.heads

    def scores(self, rows: Int[np.ndarray, " drawn"] | None = None) -> Iterator[ScoreBatch]:
        """As `batches`, with the queries and keys that the maps are made of."""
        return self._each(self._read_scores, rows, besides=2 * self.gated.head_size)

    def _read(self, rows: Int[np.ndarray, " text"]) -> MapBatch:
        (maps,) = self._of_layers(rows, 1)
        return maps

    def _read_scores(self, rows: Int[np.ndarray, " text"]) -> ScoreBatch:
        return ScoreBatch(*self._of_layers(rows, 3))

    @torch.inference_mode()
    def _of_layers(
        self, rows: Int[np.ndarray, " text"], count: int
    ) -> tuple[MapBatch, *tuple[Float[Tensor, "text layer head token size"], ...]]:
        """The first `count` fields of every layer's attention: the maps, queries and keys."""
        batch = self.encoded.batch(rows, self.gated.model.device)
        layers = [layer[:count] for layer in layer_attention(self.gated, batch.inputs)]
        maps, *scores = (torch.stack(field, dim=1) for field in zip(*layers, strict=True))
        maps *= batch.inputs["attention_mask"].bool()[:, None, None, :, None]
        return MapBatch(batch.rows, batch.lengths, maps), *scores


class StoredRecording(Recording):
    """Maps on disk. Their rows are as exact as float16, or as whoever recorded them kept them."""

    def __init__(self, name: str, store: MapStore, tokens: pd.DataFrame):
        self.name, self.store, self.tokens = name, store, tokens
        self.layers, self.heads = store.layers, store.heads

    def _read(self, rows: Int[np.ndarray, " text"]) -> MapBatch:
        lengths = self.lengths[rows]
        width = int(lengths.max())
        maps = np.zeros((len(rows), self.layers, self.heads, width, width), dtype=np.float32)
        for place, (row, length) in enumerate(zip(rows, lengths, strict=True)):
            maps[place, ..., :length, :length] = self.store[self.tokens["id"][row]]
        return MapBatch(rows, lengths, torch.from_numpy(maps))


@dataclass(frozen=True)
class Texts:
    """A corpus with the encoders whose attention on it can be read."""

    corpus: pd.DataFrame
    folder: Path
    max_length: int
    encoders: list[str]
    segment_ids: Literal["own", "zero"] = "own"

    @property
    def groups(self) -> Int[np.ndarray, " text"]:
        """A number for each text, the same for texts of one group."""
        return self.corpus["group"].factorize()[0]

    def recordings(self, device: torch.device) -> Iterator[Recording]:
        """Yield the attention of every encoder in turn; one model is in memory at a time."""
        for name in self.encoders:
            yield self.recording(name, device)

    def recording(self, name: str, device: torch.device) -> Recording:
        """The attention of one encoder.

        Raises:
            InputError: its positions do not suffice for the texts.
        """
        if name == RECORDED:
            store = MapStore(self.folder / "maps")
            return StoredRecording(name, store, recorded_table(store.tokens))
        folder = ENCODERS / name
        tokenizer = load_tokenizer(folder)
        key = f"corpora.{self.folder.name}.max_length"
        require_positions(read_config(folder), folder, self.max_length, f"`{key}`")
        encoded = self.encoded(tokenizer)
        tokens = token_table(tokenizer, self.corpus, encoded, self.max_length)
        return LiveRecording(name, Gated(load_encoder(folder).to(device)), tokens, encoded)

    def encoded(self, tokenizer: PreTrainedTokenizerBase) -> Encoded:
        """The texts as an encoder reads them."""
        encoded = encode(tokenizer, self.corpus, self.max_length)
        if self.segment_ids == "zero" and SEGMENT_IDS in encoded.inputs:
            zeros = [[0] * len(ids) for ids in encoded.inputs[SEGMENT_IDS]]
            encoded.inputs[SEGMENT_IDS] = zeros
        return encoded


def open_texts(name: str) -> Texts:
    """Open the corpus NAME that the stage `corpus` wrote, with the encoders that can read it.

    Raises:
        InputError: there is no such corpus, or no encoder to read it.
    """
    entry = load_corpus_entry(name)
    folder = CORPORA / name
    corpus = read_corpus(folder / "corpus.parquet")
    if (folder / "maps").is_dir():
        return Texts(corpus, folder, entry.max_length, [RECORDED])
    encoders = [arm for arm in CORPUS_ARMS if (ENCODERS / arm).is_dir()]
    if not encoders:
        raise InputError(
            f"{ENCODERS}: no encoder to read the corpus {name}; name some under `encoder.arms` in "
            "params.yaml"
        )
    return Texts(corpus, folder, entry.max_length, encoders, entry.segment_ids)
