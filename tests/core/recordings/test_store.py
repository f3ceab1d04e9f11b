"""The map store: what is written comes back, and damage does not pass."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.recording_writer import write_maps
from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError

LAYERS, HEADS = 3, 2
LENGTHS = {"a": 4, "b": 6, "c": 4, "d": 5, "e": 4}


def tokens(lengths=LENGTHS) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": list(lengths),
            "tokens": [["[CLS]", *("word",) * (n - 2), "[SEP]"] for n in lengths.values()],
            "segments": [[0] * n for n in lengths.values()],
        }
    )


def padded_maps(lengths=LENGTHS, seed=0) -> torch.Tensor:
    """Random maps [example, layer, head, query, key]; padding is 0 for keys, noise for queries."""
    width = max(lengths.values())
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(len(lengths), LAYERS, HEADS, width, width, generator=generator) * 3
    for row, length in enumerate(lengths.values()):
        scores[row, ..., length:] = -torch.inf
    return scores.softmax(-1)


def write(path, maps=None, batch=2, megabytes=1, order=None):
    maps = padded_maps() if maps is None else maps
    rows = np.arange(len(maps)) if order is None else np.array(order)
    with write_maps(path, tokens(), LAYERS, HEADS, megabytes) as writer:
        for start in range(0, len(rows), batch):
            chosen = rows[start : start + batch]
            for layer in range(LAYERS):
                writer.write(layer, chosen, maps[chosen, layer])
    return MapStore(path)


def test_maps_come_back_without_padding(tmp_path):
    maps = padded_maps()
    store = write(tmp_path / "maps", maps)
    assert (len(store), store.layers, store.heads, store.ids) == (5, LAYERS, HEADS, list("abcde"))
    for row, (identity, length) in enumerate(LENGTHS.items()):
        expected = maps[row, :, :, :length, :length].half().numpy()
        np.testing.assert_array_equal(store[identity], expected)
        np.testing.assert_array_equal(store[identity][2, 1], expected[2, 1])


def test_rows_sum_to_one_within_the_documented_bound(tmp_path):
    store = write(tmp_path / "maps")
    sums = np.concatenate([store[i].astype(np.float64).sum(-1).ravel() for i in store.ids])
    assert np.abs(sums - 1).max() < 5e-4


def test_tokens_and_further_columns_lie_beside(tmp_path):
    frame = tokens().assign(words=[[-1, *range(n - 2), -1] for n in LENGTHS.values()])
    with write_maps(tmp_path / "maps", frame, 1, 1, 1) as writer:
        writer.write(0, range(5), torch.zeros(5, 1, 6, 6))
    read = MapStore(tmp_path / "maps").tokens
    assert read["id"].tolist() == list("abcde")
    assert read["tokens"][3].tolist() == ["[CLS]", "word", "word", "word", "[SEP]"]
    assert read["segments"][0].tolist() == [0, 0, 0, 0]
    assert read["words"][0].tolist() == [-1, 0, 1, -1]


def test_groups_give_every_map_in_runs_of_one_length(tmp_path):
    store = write(tmp_path / "maps")
    groups = list(store.groups())
    assert [ids for ids, _ in groups] == [["b"], ["d"], ["a", "c", "e"]]
    for ids, maps in groups:
        for identity, example in zip(ids, maps, strict=True):
            np.testing.assert_array_equal(example, store[identity])


def test_shards_stay_below_the_bound(tmp_path):
    lengths = {str(row): 100 for row in range(7)}  # 100 x 100 x 1 x 12 x 2 = 240,000 bytes each
    with write_maps(tmp_path / "maps", tokens(lengths), 1, 12, 1) as writer:
        for row in range(7):
            writer.write(0, [row], torch.full((1, 12, 100, 100), row / 10))
    shards = sorted(file.stat().st_size for file in (tmp_path / "maps").glob("*.f16"))
    assert shards == [720_000, 960_000]
    store = MapStore(tmp_path / "maps")
    assert [round(float(store[str(row)][0, 11, 99, 99]), 2) for row in range(7)] == [
        0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6
    ]  # fmt: skip
    assert [ids for ids, _ in store.groups()] == [list("0123"), list("456")]


def test_example_larger_than_a_shard_is_refused(tmp_path):
    with (
        pytest.raises(InputError, match=r"300 tokens takes 2 MB.*raise `shard_megabytes`"),
        write_maps(tmp_path / "maps", tokens({"long": 300}), 2, 6, 1),
    ):
        pass


def test_bytes_depend_on_neither_batches_nor_run(tmp_path):
    write(tmp_path / "first", batch=1)
    write(tmp_path / "second", batch=3, order=[4, 2, 0, 1, 3])
    for file in (tmp_path / "first").iterdir():
        assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes(), file.name


@pytest.mark.parametrize("name", ["maps-00000.f16", "index.parquet", "tokens.parquet"])
def test_truncated_file_is_detected_on_opening(tmp_path, name):
    write(tmp_path / "maps")
    file = tmp_path / "maps" / name
    file.write_bytes(file.read_bytes()[:-2])
    with pytest.raises(InputError, match=rf"{name}: it has \d+ bytes, \d+ were written; record or"):
        MapStore(tmp_path / "maps")


def test_maps_of_the_pipeline_alone_are_written_again_by_a_stage(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder, mend in (
        (Path("work/maps/a"), "remove work/maps/a and run the stage that writes it again"),
        (Path("mine/work/a"), "record or convert it again"),
    ):
        with pytest.raises(InputError, match=mend):
            MapStore(folder)
        folder.mkdir(parents=True)
        (folder / "store.json").write_text("{}")
        with pytest.raises(InputError, match=mend):
            MapStore(folder)


def test_missing_shard_is_detected_on_opening(tmp_path):
    write(tmp_path / "maps")
    (tmp_path / "maps" / "maps-00000.f16").unlink()
    with pytest.raises(InputError, match=r"maps-00000.f16: it is missing"):
        MapStore(tmp_path / "maps")


def test_altered_shard_is_detected_by_its_checksum(tmp_path):
    store = write(tmp_path / "maps")
    store.verify()
    file = tmp_path / "maps" / "maps-00000.f16"
    content = bytearray(file.read_bytes())
    content[7] ^= 1
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"maps-00000.f16: its content is not what was written"):
        MapStore(tmp_path / "maps").verify()


def test_index_that_does_not_fit_the_shards_is_detected(tmp_path):
    write(tmp_path / "maps")
    header = json.loads((tmp_path / "maps" / "store.json").read_text())
    header["heads"] += 1
    (tmp_path / "maps" / "store.json").write_text(json.dumps(header))
    with pytest.raises(InputError, match=r"index.parquet: it does not fit maps-00000.f16"):
        MapStore(tmp_path / "maps")


def test_folder_that_is_no_store_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"not a folder of attention maps"):
        MapStore(tmp_path)
    (tmp_path / "store.json").write_text('{"format": "attention-maps", "version": 99}')
    with pytest.raises(InputError, match=r"store.json: it does not say"):
        MapStore(tmp_path)


def test_incomplete_writing_leaves_nothing(tmp_path):
    with (
        pytest.raises(ValueError, match="example 'b', layer 0, were not written"),
        write_maps(tmp_path / "maps", tokens(), LAYERS, HEADS, 1) as writer,
    ):
        for layer in range(LAYERS):
            writer.write(layer, [0], padded_maps()[:1, layer])
    assert list(tmp_path.iterdir()) == []


def test_maps_of_a_wrong_shape_are_refused(tmp_path):
    with (
        pytest.raises(ValueError, match="for 4 tokens, 2 heads"),
        write_maps(tmp_path / "maps", tokens(), LAYERS, HEADS, 1) as writer,
    ):
        writer.write(0, [0], torch.zeros(1, HEADS, 3, 3))


def test_repeated_id_is_refused(tmp_path):
    frame = pd.concat([tokens(), tokens().iloc[:1]], ignore_index=True)
    with (
        pytest.raises(InputError, match="two examples have the id 'a'"),
        write_maps(tmp_path / "maps", frame, LAYERS, HEADS, 1),
    ):
        pass


def test_maps_are_read_only_views_of_the_file(tmp_path):
    store = write(tmp_path / "maps")
    assert not store["a"].flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        store["a"][0, 0, 0, 0] = 1


def test_a_folder_of_somebody_elses_is_not_replaced_by_maps(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").write_text("mine")
    with (
        pytest.raises(InputError, match=r"mine has thesis\.tex and no store\.json"),
        write_maps(tmp_path / "mine", tokens(), LAYERS, HEADS, 1),
    ):
        pass
    assert (tmp_path / "mine/thesis.tex").read_text() == "mine"
