"""What others recorded as a folder of maps: Dodrio's files, and what transformers gave."""

import json
import os
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_tensors
from typer.testing import CliRunner

from stages.core.corpora.entries import RecordedCorpus
from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError
from stages.core.stimuli.entries import RecordedAttention
from stages.corpus import recorded
from stages.stimuli.recorded import sound_folder
from tools import dodrio_release
from tools.convert import app
from tools.saved_arrays import saved_arrays

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


def test_a_separator_inside_a_token_ends_no_line(source):
    write_attentions(source)
    lines = lines_of(source)
    first = json.dumps(json.loads(lines[0]) | {"tokens": ["[CLS]", "\u2028", "[SEP]"]})
    first = "\ufeff" + first.replace("\\u2028", "\u2028")
    (source / "tokens.jsonl").write_text("\n".join([first, "", *lines[1:]]))
    assert "3 examples" in convert("attentions", source, source.with_name("maps"))
    assert MapStore(source.with_name("maps")).tokens["tokens"][0][1] == "\u2028"


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"tokens": ["[CLS]", None, "[SEP]"]}, "`tokens` has missing text"),
        ({"tokens": [101, 7, 102]}, "`tokens` has 101 in place of a text"),
        ({"tokens": ["[CLS]", "\ud83d", "[SEP]"]}, "half of a surrogate pair"),
        ({"tokens": "[CLS] a [SEP]"}, r"`tokens` is .*not a list of texts"),
        ({"id": None}, "missing text as `id`"),
        ({"segments": [0, 0, 2]}, "other numbers than 0 and 1"),
        ({"segments": [0, 0, 0.5]}, "`segments` has 0.5, which is no whole number"),
        ({"segments": [0, 0, None]}, "`segments` has None"),
        ({"words": ["win"], "word": [None, True, None]}, "`word` has True"),
        ({"words": ["win", 3], "word": [None, 0, None]}, "`words` has 3 in place of a text"),
    ],
)
def test_values_of_a_line_of_tokens_that_are_none(source, more, complaint):
    write_attentions(source)
    first, *rest = lines_of(source)
    lines = [json.dumps(json.loads(first) | more), *rest]
    (source / "tokens.jsonl").write_text("\n".join(lines))
    with pytest.raises(InputError, match=f"line 1: no JSON object.*{complaint}"):
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
        (lambda folder: os.mkfifo(folder / "c.npz"), "c.npz: it cannot be read"),
        (
            lambda folder: (folder / "c.npz").symlink_to(folder / "c.npz"),
            "c.npz: it cannot be read",
        ),
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


def write_npy(archive: zipfile.ZipFile, name: str, header: dict, content: bytes = b"") -> None:
    """A member of an archive whose header says anything."""
    with archive.open(f"{name}.npy", "w") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        stream.write(content)


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ({"shape": (1, 12, 40_000, 40_000)}, r"\[1, 12, 40000, 40000\] take 77 GB an example"),
        ({"shape": (10**9, 3, 4, 4)}, "3 lines, but the maps have more"),
        ({"shape": (2**20, 3, 64, 64), "fortran_order": True}, "Fortran's order, .* bytes; save"),
        ({"shape": (1, 3, -4, -4)}, "it cannot be read"),
        ({"descr": "<U1"}, "it cannot be read"),
        ({}, "it cannot be read"),  # the numbers are lacking
    ],
)
def test_an_archive_is_refused_by_its_header(source, header, complaint):
    write_attentions(source)
    known = {"descr": "<f4", "fortran_order": False, "shape": (1, 3, 4, 4)}
    with zipfile.ZipFile(source / "b.npz", "w") as archive:
        write_npy(archive, "layer_0", known | header)
    with pytest.raises(InputError, match=complaint):
        convert("attentions", source, source.with_name("maps"))
    assert not (source.with_name("maps")).exists()


def test_other_arrays_are_not_read(source):
    """14 GB of hidden states, by their header."""
    write_attentions(source)
    shape = {"descr": "<f4", "fortran_order": False, "shape": (1, 13, 512, 540_000)}
    with zipfile.ZipFile(source / "b.npz", "a") as archive:
        write_npy(archive, "hidden", shape)
    convert("attentions", source, source.with_name("maps"))
    np.testing.assert_allclose(
        MapStore(source.with_name("maps"))["three"], EXAMPLES["three"], atol=5e-4
    )


def test_one_example_is_in_memory_at_a_time(tmp_path):
    count = 2**12
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        shape = {"descr": "<f4", "fortran_order": False, "shape": (count, 1, 64, 64)}
        write_npy(archive, "layer_0", shape, np.eye(64, dtype="<f4").tobytes() * 3)
    tracemalloc.start()
    rows = saved_arrays(tmp_path / "a.npz")["layer_0"].rows()
    assert next(rows).shape == (1, 64, 64)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**20  # all of it has 2**26 bytes


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("dtype", ["<f2", ">f4", "<f8", "u1"])
def test_arrays_are_read_as_they_were_saved(tmp_path, order, save, dtype):
    numbers = np.arange(120).reshape(5, 2, 3, 4).astype(dtype)
    save(tmp_path / "a.npz", layer_0=np.asarray(numbers, order=order))
    array = saved_arrays(tmp_path / "a.npz")["layer_0"]
    assert (array.shape, array.bytes) == (numbers.shape, numbers.nbytes)
    np.testing.assert_array_equal(np.stack(list(array.rows())), numbers)


def test_a_flipped_byte_is_noticed(source):
    write_attentions(source)
    content = bytearray((source / "b.npz").read_bytes())
    content[300] ^= 1
    (source / "b.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"b\.npz: it cannot be read .*CRC"):
        convert("attentions", source, source.with_name("maps"))
    assert not (source.with_name("maps")).exists()


def test_maps_of_two_models_and_other_types_are_refused(source):
    write_attentions(source)
    np.savez(source / "b.npz", layer_0=EXAMPLES["three"][None, 0])
    with pytest.raises(InputError, match="'three' has maps of 1 layers of 3 heads"):
        convert("attentions", source, source.with_name("maps"))
    (source / "b.npz").unlink()
    halves = torch.zeros(1, 3, 4, 4, dtype=torch.bfloat16)
    save_tensors({"layer_0": halves}, source / "b.safetensors")
    with pytest.raises(InputError, match="`layer_0` has numbers of the type BF16; save them as"):
        convert("attentions", source, source.with_name("maps"))
    assert not (source.with_name("maps")).exists()


def test_words_counted_anew_in_the_second_text_are_refused(source):
    """As `word_ids()` gives them for a pair."""
    write_attentions(source)
    with_words(source)
    lines = [json.loads(text) for text in lines_of(source)]
    lines[1] |= {"words": ["Dogs", "bark"], "word": [None, 1, None, 0, None]}
    (source / "tokens.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(InputError, match="count those of a second text on from the first"):
        convert("attentions", source, source.with_name("maps"))
    assert sorted(source.parent.iterdir()) == [source]


def padding_inside(weights: np.ndarray) -> np.ndarray:
    return np.insert(weights, 1, 0, axis=-1)[..., :-1]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda weights: weights * np.nan, "row 0 has a weight that is not finite"),
        (np.log, "row 0 has a negative weight"),
        (padding_inside, "row 0 sums to 0"),
        (lambda weights: weights[:0], r"b.npz: .* of shape \[1, 0, 4, 4\], without a head"),
    ],
)
def test_what_cannot_be_attention_is_not_written(source, change, complaint):
    write_attentions(source)
    layers = {f"layer_{layer}": change(EXAMPLES["three"][layer])[None] for layer in range(LAYERS)}
    np.savez(source / "b.npz", **layers)
    with pytest.raises(InputError, match=complaint):
        convert("attentions", source, source.with_name("maps"))
    assert sorted(source.parent.iterdir()) == [source]


def test_a_release_of_dodrio_without_heads(source):
    write_arrays(source, maps(5)[:, :0])
    (source / "sst2-dependencies.json").write_text("{}")
    with pytest.raises(InputError, match="no maps `0006` of 5 tokens"):
        convert("dodrio", source, source.with_name("maps"))


def test_ids_of_tokens_beside_the_layers_and_files_of_macos_are_not_read(source):
    write_attentions(source, save_file, "safetensors")
    layers = {f"layer_{layer}": EXAMPLES["three"][layer][None] for layer in range(LAYERS)}
    save_file(layers | {"input_ids": np.ones((1, 4), np.int64)}, source / "b.safetensors")
    (source / "._a.npz").write_bytes(b"Mac OS X")
    assert "3 examples" in convert("attentions", source, source.with_name("maps"))
    (source / "b.safetensors").unlink()
    np.savez(source / "b.npz", **layers, tokens=np.array(["a"]))
    assert "3 examples" in convert("attentions", source, source.with_name("maps"))


def test_a_release_of_dodrio_that_is_damaged(source):
    weights = maps(5)
    write_arrays(source, weights)
    parses = source / "sst2-dependencies.json"
    parses.write_text(
        json.dumps({"6": {"list": [PARSE["list"][0], PARSE["list"][1] | {"child": -1}]}})
    )
    with pytest.raises(InputError, match=r"dependencies.json: .*parse of sentence 6"):
        convert("dodrio", source, source.with_name("maps"))
    parses.write_text(json.dumps({"6": {"list": [{}, {}]}}))
    with pytest.raises(InputError, match=r"dependencies.json: not as Dodrio has it"):
        convert("dodrio", source, source.with_name("maps"))
    parses.write_text("{}")
    (source / "sst2_tokens.json").write_text(json.dumps([{"id": 6, "tokens": TOKENS[:4]}]))
    with pytest.raises(InputError, match="no maps `0006` of 4 tokens"):
        convert("dodrio", source, source.with_name("maps"))
    (source / "sst2_tokens.json").write_text(json.dumps([{"id": 7, "tokens": TOKENS}]))
    with pytest.raises(InputError, match="no maps `0007`"):
        convert("dodrio", source, source.with_name("maps"))
