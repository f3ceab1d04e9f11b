"""Dodrio's files as a folder of maps."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from stages.core.corpora.entries import RecordedCorpus
from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError
from stages.corpus import recorded
from tools.convert import app, dodrio_row

SENTENCE = {"id": 6, "tokens": ["[CLS]", "block", "##busters", "win", "[SEP]"]}
PARSE = {
    "list": [
        {"child": 1, "parent": None, "relation": "root"},
        {"child": 0, "parent": 1, "relation": "nsubj"},
    ]
}


def test_words_and_parse_of_a_sentence():
    row = dodrio_row(SENTENCE, PARSE)
    assert row["word"] == [-1, 0, 0, 1, -1]
    assert [(w["text"], w["head"], w["deprel"]) for w in row["words"]] == [
        ("blockbusters", 1, "nsubj"),
        ("win", -1, "root"),
    ]
    assert dodrio_row(SENTENCE, {"list": PARSE["list"][:1]})["words"] == []


def test_maps_and_annotation_are_read_back(tmp_path):
    weights = np.full((2, 3, 5, 5), 2000, dtype=np.uint16)
    np.savez(tmp_path / "sst2_attention_u16.npz", **{"0006": weights})
    (tmp_path / "sst2_tokens.json").write_text(json.dumps([SENTENCE]))
    (tmp_path / "sst2-dependencies.json").write_text(json.dumps({"6": PARSE}))
    target = tmp_path / "maps"
    done = CliRunner().invoke(app, ["dodrio", str(tmp_path), str(target)], catch_exceptions=False)
    assert "1 sentences, 0 of them without a parse" in done.output
    store = MapStore(target)
    np.testing.assert_allclose(store["0006"], 0.2, atol=1e-4)
    assert (store.layers, store.heads) == (2, 3)
    entry = RecordedCorpus(source="recorded", path=str(target), model="other")
    (row,) = recorded.read("own", entry).to_dict("records")
    assert [word["text"] for word in row["words"]] == ["blockbusters", "win"]


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="no file sst2_attention"):
        CliRunner().invoke(
            app, ["dodrio", str(tmp_path), str(tmp_path / "maps")], catch_exceptions=False
        )
