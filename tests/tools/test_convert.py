"""What others recorded as a folder of maps: Dodrio's files, and what transformers gave."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from typer.testing import CliRunner

from stages.core.corpora.entries import RecordedCorpus
from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError
from stages.core.stimuli.entries import RecordedAttention
from stages.corpus import recorded
from stages.stimuli.recorded import sound_folder
from tools import dodrio_release
from tools.convert import app

TOKENS = ["[CLS]", "block", "##busters", "win", "[SEP]"]
PARSE = {
    "list": [
        {"child": 1, "parent": None, "relation": "root"},
        {"child": 0, "parent": 1, "relation": "nsubj"},
    ]
}
LAYERS, HEADS = 2, 3


def convert(command: str, source: Path, target: Path) -> str:
    words = [command, str(source), str(target)]
    return CliRunner().invoke(app, words, catch_exceptions=False).output


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The folder that is read, beside which maps are written."""
    (tmp_path / "source").mkdir()
    return tmp_path / "source"


def maps(length: int, seed: int = 0) -> np.ndarray:
    """Maps [layer, head, query, key] that differ everywhere."""
    weights = np.random.default_rng(seed).random((LAYERS, HEADS, length, length))
    return weights / weights.sum(-1, keepdims=True)


def padded(weights: np.ndarray, width: int) -> np.ndarray:
    """The maps, with keys of padding at 0 and queries of padding at anything."""
    wider = np.random.default_rng(9).random((*weights.shape[:2], width, width))
    length = weights.shape[-1]
    wider[:, :, :length] = 0
    wider[:, :, :length, :length] = weights
    return wider


def test_words_and_parse_of_a_sentence():
    row = dodrio_release.row(6, TOKENS, PARSE)
    assert row["word"] == [-1, 0, 0, 1, -1]
    assert [(w["text"], w["head"], w["deprel"]) for w in row["words"]] == [
        ("blockbusters", 1, "nsubj"),
        ("win", -1, "root"),
    ]
    assert dodrio_release.row(6, TOKENS, {"list": PARSE["list"][:1]})["words"] == []


def write_arrays(folder: Path, weights: np.ndarray) -> None:
    whole = np.round(weights * 10_000).astype(np.uint16)
    np.savez(folder / "sst2_attention_u16.npz", **{"0006": whole})
    (folder / "sst2_tokens.json").write_text(json.dumps([{"id": 6, "tokens": TOKENS}]))


def write_repository(folder: Path, weights: np.ndarray) -> None:
    (folder / "sst2-attention-data").mkdir()
    nested = np.round(padded(weights, 64), 4).tolist()
    (folder / "sst2-attention-data/attention-0006.json").write_text(json.dumps(nested))
    tokens = {"6": {"tokens": [{"token": token, "positive": 0.1} for token in TOKENS]}}
    (folder / "sst2-saliency-list-grad-l1.json").write_text(json.dumps(tokens))


@pytest.mark.parametrize("write_release", [write_arrays, write_repository])
def test_maps_and_annotation_are_read_back(source, write_release):
    weights = maps(5)
    write_release(source, weights)
    (source / "sst2-dependencies.json").write_text(json.dumps({"6": PARSE}))
    target = source.with_name("maps")
    assert "1 sentences, 0 of them without a parse" in convert("dodrio", source, target)
    store = MapStore(target)
    np.testing.assert_allclose(store["0006"], weights, atol=5e-4)
    entry = RecordedCorpus(source="recorded", path=str(target), model="other")
    (row,) = recorded.read("own", entry).to_dict("records")
    assert [word["text"] for word in row["words"]] == ["blockbusters", "win"]


def test_another_folder_is_refused(source):
    with pytest.raises(InputError, match="neither sst2_attention_u16.npz nor sst2-attention-data"):
        convert("dodrio", source, source.with_name("maps"))
    write_repository(source, maps(5))
    with pytest.raises(InputError, match="no file sst2-dependencies.json"):
        convert("dodrio", source, source.with_name("maps"))
    (source / "sst2-dependencies.json").write_text("{")
    with pytest.raises(InputError, match="sst2-dependencies.json: not valid JSON"):
        convert("dodrio", source, source.with_name("maps"))


EXAMPLES = {"one": maps(3, 1), "two": maps(5, 2), "three": maps(4, 3)}


def write_attentions(folder: Path, save=np.savez, suffix: str = "npz") -> None:
    """The first two examples in one file, padded, the third in another."""
    for name, some in (("a", ("one", "two")), ("b", ("three",))):
        wide = [padded(EXAMPLES[one], 6) if name == "a" else EXAMPLES[one] for one in some]
        layers = {
            f"layer_{layer}": np.stack([one[layer] for one in wide]) for layer in range(LAYERS)
        }
        if save is np.savez:
            np.savez(folder / f"{name}.{suffix}", **layers)
        else:
            save(layers, folder / f"{name}.{suffix}")
    lines = [
        {"id": name, "tokens": ["[CLS]", *["word"] * (len(weights[0, 0]) - 2), "[SEP]"]}
        for name, weights in EXAMPLES.items()
    ]
    lines[1]["segments"] = [0, 0, 0, 1, 1]
    (folder / "tokens.jsonl").write_text("\n".join(map(json.dumps, lines)))


@pytest.mark.parametrize(("save", "suffix"), [(np.savez, "npz"), (save_file, "safetensors")])
def test_what_transformers_gave_is_cut_and_read_back(source, save, suffix):
    write_attentions(source, save, suffix)
    assert "3 examples" in convert("attentions", source, source.with_name("maps"))
    store = MapStore(source.with_name("maps"))
    for name, weights in EXAMPLES.items():
        np.testing.assert_allclose(store[name], weights, atol=5e-4)
    assert [list(row) for row in store.tokens["segments"]] == [[0] * 3, [0, 0, 0, 1, 1], [0] * 4]
    entry = RecordedCorpus(source="recorded", path=str(source.with_name("maps")), model="other")
    assert recorded.read("own", entry)["id"].tolist() == list(EXAMPLES)


WORDS = [
    {"words": ["win"], "word": [None, 0, None]},
    {"words": ["Dogs", "bark"], "word": [None, 0, None, 1, None]},
    {"words": ["blockbusters"], "word": [None, 0, 0, None]},
]


def with_words(folder: Path) -> None:
    lines = [json.loads(line) | more for line, more in zip(lines_of(folder), WORDS, strict=True)]
    (folder / "tokens.jsonl").write_text("\n".join(map(json.dumps, lines)))


def test_words_come_along(source):
    write_attentions(source)
    with_words(source)
    convert("attentions", source, source.with_name("maps"))
    tokens = MapStore(source.with_name("maps")).tokens
    assert [list(row) for row in tokens["word"]] == [
        [-1, 0, -1],
        [-1, 0, -1, 1, -1],
        [-1, 0, 0, -1],
    ]
    second = [(one["text"], one["segment"], one["start"]) for one in tokens["words"][1]]
    assert second == [("Dogs", 0, 0), ("bark", 1, 5)]
    entry = RecordedCorpus(source="recorded", path=str(source.with_name("maps")), model="other")
    assert recorded.read("own", entry)["words"].map(len).tolist() == [1, 2, 1]
    recording = RecordedAttention(path=str(source.with_name("maps")), model="other")
    assert sound_folder("own", recording) == source.with_name("maps")


@pytest.mark.parametrize(
    ("line", "more", "complaint"),
    [
        (1, {"word": [None, 0, None, 2, None]}, "line 2: `word` has one number a token, of one"),
        (1, {"word": [None, 0, None, 1]}, "line 2: `word` has one number a token"),
        (1, {"words": None}, "line 2: no JSON object"),
        (2, {"word": None}, "line 3: no JSON object"),
    ],
)
def test_words_that_do_not_fit(source, line, more, complaint):
    write_attentions(source)
    with_words(source)
    lines = [json.loads(text) for text in lines_of(source)]
    lines[line] |= more
    (source / "tokens.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(InputError, match=complaint):
        convert("attentions", source, source.with_name("maps"))


def test_words_of_some_lines_alone(source):
    write_attentions(source)
    with_words(source)
    lines = lines_of(source)
    del (last := json.loads(lines[-1]))["words"], last["word"]
    (source / "tokens.jsonl").write_text("\n".join([*lines[:-1], json.dumps(last)]))
    with pytest.raises(InputError, match="line 3: all lines have `words` and `word`, or none"):
        convert("attentions", source, source.with_name("maps"))


def lines_of(folder: Path) -> list[str]:
    return (folder / "tokens.jsonl").read_text().splitlines()


def with_lines(change):
    def apply(folder: Path) -> None:
        (folder / "tokens.jsonl").write_text("\n".join(change(lines_of(folder))))

    return apply


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda folder: (folder / "tokens.jsonl").unlink(), "tokens.jsonl: no such file"),
        (with_lines(lambda lines: lines[:2]), "2 lines, but the maps have more"),
        (
            with_lines(lambda lines: [*lines, lines[0].replace("one", "four")]),
            "4 lines, but maps of 3 examples",
        ),
        (with_lines(lambda lines: ["{", *lines]), "line 1: no JSON object"),
        (with_lines(lambda lines: ['{"id": 1, "tokens": 3}']), "line 1: no JSON object"),
        (
            with_lines(lambda lines: [lines[0].replace("]}", '], "segments": [0]}')]),
            "line 1: every token has one segment",
        ),
        (
            with_lines(lambda lines: [*lines[:2], lines[1].replace("two", "three")]),
            "5 tokens, .* b.npz are of 4",
        ),
        (with_lines(lambda lines: [lines[0], lines[0], lines[2]]), "two examples have the id"),
        (lambda folder: (folder / "b.npz").write_bytes(b"PK"), "b.npz: it cannot be read"),
        (lambda folder: np.savez(folder / "b.npz", other=np.ones(3)), "has other, not layer_0"),
        (lambda folder: np.savez(folder / "b.npz", layer_0=np.ones(3)), "not of shape"),
        (
            lambda folder: np.savez(folder / "b.npz", layer_0=np.ones((1, 3, 4, 5))),
            "maps are not square",
        ),
        (
            lambda folder: np.savez(folder / "b.npz", layer_0=np.array([{"a": 1}], dtype=object)),
            "b.npz: it cannot be read",
        ),
    ],
)
def test_attentions_that_cannot_be_read(source, damage, complaint):
    write_attentions(source)
    damage(source)
    with pytest.raises(InputError, match=complaint):
        convert("attentions", source, source.with_name("maps"))
    assert not (source.with_name("maps")).exists()
