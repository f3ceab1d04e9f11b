"""Streams of maps, of an encoder that runs and of maps on disk."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from ruamel.yaml import YAML

from stages.core.corpora.store import corpus_frame, write_corpus
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.recording_writer import write_maps
from stages.core.recordings import recording as recording_module
from stages.core.recordings.recording import LiveRecording, StoredRecording, Texts, open_texts
from stages.core.recordings.tokens import token_table
from stages.core.stage.files import InputError
from tests.core.recordings.pairs import corpus


def write_parameters(**entry) -> None:
    with Path("params.yaml").open("w") as stream:
        YAML().dump({"corpora": {"own": entry}}, stream)


def test_a_stream_gives_the_models_own_maps_whatever_the_batches(any_checkpoint, monkeypatch):
    tokenizer = load_tokenizer(any_checkpoint)
    texts = corpus()
    encoded = encode(tokenizer, texts, 40)
    gated = Gated(load_encoder(any_checkpoint))
    tokens = token_table(tokenizer, texts, encoded, 40)
    recording = LiveRecording("untuned", gated, tokens, encoded)

    def all_maps() -> dict[int, torch.Tensor]:
        found = {}
        for batch in recording.batches():
            for place, row in enumerate(batch.rows):
                length = batch.lengths[place]
                assert batch.maps[place, ..., length:, :].abs().sum() == 0
                assert batch.maps[place, ..., length:].abs().sum() == 0
                found[int(row)] = batch.maps[place, ..., :length, :length]
        return found

    together = all_maps()
    monkeypatch.setattr(recording_module, "MAP_NUMBERS", 1)
    alone = all_maps()
    assert sorted(together) == sorted(alone) == [0, 1]
    for row in together:
        torch.testing.assert_close(together[row], alone[row], atol=1e-5, rtol=0)
        torch.testing.assert_close(
            together[row].sum(-1), torch.ones(together[row].shape[:-1]), atol=1e-5, rtol=0
        )


def test_maps_on_disk_are_the_same_stream(tmp_path, monkeypatch):
    generator = np.random.default_rng(0)
    lengths = [3, 5, 4]
    maps = [generator.dirichlet(np.ones(n), (2, 2, n)).astype(np.float32) for n in lengths]
    tokens = pd.DataFrame(
        {
            "id": ["a", "b", "c"],
            "tokens": [["[CLS]", *"xyz"[: n - 2], "[SEP]"] for n in lengths],
            "segments": [[0] * n for n in lengths],
        }
    )
    folder = tmp_path / "work/corpora/own"
    with write_maps(folder / "maps", tokens, 2, 2, 1) as writer:
        for row, example in enumerate(maps):
            for layer in range(2):
                writer.write(layer, [row], torch.from_numpy(example[layer])[None])
    rows = [{"id": name, "group": name} for name in tokens["id"]]
    write_corpus(corpus_frame(rows), folder / "corpus.parquet")
    monkeypatch.chdir(tmp_path)
    write_parameters(source="recorded", path="maps", model="other")
    texts = open_texts("own")
    assert texts.encoders == ["recorded"]
    (recording,) = texts.recordings(torch.device("cpu"))
    assert isinstance(recording, StoredRecording)
    for batch in recording.batches(np.array([0, 2])):
        for place, row in enumerate(batch.rows):
            n = lengths[row]
            np.testing.assert_allclose(batch.maps[place, ..., :n, :n], maps[row], atol=5e-4)


def test_a_corpus_without_encoders_says_so(tmp_path, monkeypatch):
    folder = tmp_path / "work/corpora/own"
    write_corpus(corpus_frame([{"id": "a", "group": "a"}]), folder / "corpus.parquet")
    monkeypatch.chdir(tmp_path)
    write_parameters(source="written", texts=1)
    with pytest.raises(InputError, match=r"encoder\.arms"):
        open_texts("own")


def test_an_encoder_may_be_told_nothing_of_segments(tiny_bert, tmp_path):
    tokenizer = load_tokenizer(tiny_bert)
    own = Texts(corpus(), tmp_path, 40, ["untuned"])
    assert own.encoded(tokenizer).inputs["token_type_ids"][1] == [0, 0, 0, 0, 1, 1, 1, 1]
    zero = replace(own, segment_ids="zero").encoded(tokenizer)
    assert zero.inputs["token_type_ids"][1] == [0] * 8
    assert zero.segments[1] == [0, 0, 0, 0, 1, 1, 1, 1]


def test_a_corpus_longer_than_the_encoder_says_so(tiny_bert, tmp_path, monkeypatch):
    encoders = tmp_path / "encoders"
    encoders.mkdir()
    (encoders / "untuned").symlink_to(tiny_bert)
    monkeypatch.setattr(recording_module, "ENCODERS", encoders)
    texts = Texts(corpus(), tmp_path / "own", 4000, ["untuned"])
    with pytest.raises(InputError, match=r"`corpora\.own\.max_length` is 4000.*for \d+ tokens"):
        texts.recording("untuned", torch.device("cpu"))
