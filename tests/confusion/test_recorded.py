"""Confusion of attention that was recorded elsewhere: an oracle's maps among decoys."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from ruamel.yaml import YAML

from stages.confusion.stage import run_stage
from stages.confusion.tables import CONDITIONS, EVERY_LAYER, HEADS, LEAST, MEAN
from stages.core.corpora.store import word
from stages.core.recording_writer import write_maps
from stages.core.stage.files import InputError
from stages.core.stimuli.store import STIMULI
from stages.stimuli import stage as stimuli_stage
from tests.stimuli_oracle import written_stimuli

ROOT = Path(__file__).parents[2]
LAYERS, HEAD_COUNT = 3, 4
FINDS, UNIFORM = (2, 3), (1, 0)
SENTENCES = 12  # of a condition
LACKING = 2  # sentences of A1, the first of all stimuli
SET = "elsewhere"


def sentence(row: dict, number: int, generator: np.random.Generator, head_looks: str) -> dict:
    """One row of tokens.parquet, with its maps; every word is one token, every noun is two."""
    nouns = {places[-1] for places in (row["right"], *row["wrong"])}
    numbers = [n for n in range(len(row["words"])) for _ in range(1 + (n in nouns))]
    length = len(numbers) + 2
    maps = generator.dirichlet(np.ones(length), (LAYERS, HEAD_COUNT, length))
    maps[UNIFORM] = 1 / length
    goals = row["right"] if head_looks == "right" else row["wrong"][0]
    chosen = np.isin([-1, *numbers, -1], goals)
    maps[FINDS] = chosen / chosen.sum()
    words = list(row["words"])
    if number % 2:  # of a model that tells capital letters apart
        words[0] = words[0].capitalize()
    return {
        "id": f"recorded-{number}",
        "tokens": ["[CLS]", *(words[n] for n in numbers), "[SEP]"],
        "segments": [0] * length,
        "word": [-1, *numbers, -1],
        "words": [word(text, 0) for text in words],
        "maps": maps,
    }


def recorded_rows() -> list[dict]:
    """All stimuli but `LACKING`, in another order, each with a decoy of one word more."""
    generator = np.random.default_rng(0)
    stimuli = written_stimuli(SENTENCES)
    rows = stimuli[stimuli["distractors"] > 0].to_dict("records")[LACKING:]
    decoys = [row | {"words": [*row["words"][:-1], "again", row["words"][-1]]} for row in rows]
    made = [(row, "right") for row in rows] + [(row, "wrong") for row in decoys]
    order = generator.permutation(len(made))
    return [
        sentence(made[place][0], number, generator, made[place][1])
        for number, place in enumerate(order)
    ]


def record(rows: list[dict], folder: Path) -> None:
    """Write maps as whoever recorded them does."""
    tokens = pd.DataFrame([{k: v for k, v in row.items() if k != "maps"} for row in rows])
    with write_maps(folder, tokens, LAYERS, HEAD_COUNT, 8) as writer:
        for number, row in enumerate(rows):
            for layer, weights in enumerate(row["maps"]):
                writer.write(layer, [number], torch.from_numpy(weights)[None].float())


@pytest.fixture(scope="module")
def oracle_rows() -> list[dict]:
    return recorded_rows()


@pytest.fixture
def measure(oracle_rows, tmp_path, monkeypatch) -> Callable[..., None]:
    """Run both stages on the oracle's recording, changed as a test wants it."""

    def run(change: Callable[[list[dict]], object] = lambda rows: None) -> None:
        rows = [dict(row) for row in oracle_rows]
        change(rows)
        record(rows, tmp_path / "my/maps")
        monkeypatch.chdir(tmp_path)
        stimuli_stage.run_stage(SET)
        run_stage(SET)

    entry = {"source": "written", "train": 1, "test": 1, "sentences": SENTENCES, "seed": 0}
    parameters = {
        "stimuli": {SET: entry | {"recorded": {"path": "my/maps", "model": "oracle"}}},
        "confusion": {"sets": [SET], "resamples": 40, "seed": 0},
        "runtime": YAML(typ="safe").load(ROOT / "params.yaml")["runtime"],
    }
    YAML().dump(parameters, tmp_path / "params.yaml")
    (tmp_path / "data").symlink_to(ROOT / "data")
    return run


def test_the_head_that_looks_at_the_right_noun_has_no_bit(measure, capsys):
    measure()
    count = len(written_stimuli(SENTENCES).query("distractors > 0"))
    assert f"attention of oracle, of {count - LACKING} of {count} sentences" in (
        capsys.readouterr().out
    )
    rows = pd.read_parquet(CONDITIONS.path(SET))
    assert set(rows["arm"]) == {"recorded"}
    least = rows[(rows["heads"] == LEAST) & (rows["layer"] == EVERY_LAYER)]
    assert set(least["best"]) == {"{}-{}".format(*FINDS)}
    assert least["confusion"].to_numpy() == pytest.approx(np.zeros(len(least)), abs=1e-6)
    heads = pd.read_parquet(HEADS.path(SET)).set_index(["phenomenon", "layer", "head"])
    # With one distractor chance is 1 bit, with two log2(3); every condition counts alike.
    chances = rows[rows["layer"] == EVERY_LAYER].drop_duplicates("condition")
    for phenomenon, own in chances.groupby("phenomenon"):
        found = heads["beyond_chance"].loc[phenomenon]
        assert found[FINDS] == pytest.approx(-own["chance"].mean(), abs=1e-6)
        assert found[UNIFORM] == pytest.approx(0, abs=1e-5)
    assert set(chances[chances["distractors"] == 1]["chance"]) == {1.0}


def test_the_mean_of_heads_is_by_hand(measure, oracle_rows):
    measure()
    rows = pd.read_parquet(CONDITIONS.path(SET))
    stimuli = written_stimuli(SENTENCES).query("modifier == 'relative' and matching == 0")
    stimuli = stimuli.query("phenomenon == 'agreement' and auxiliary == 'agreeing'")
    by_words = {tuple(one["text"].lower() for one in row["words"]): row for row in oracle_rows}
    bits = []
    for _, one in stimuli.iterrows():
        row = by_words[tuple(one["words"])]
        numbers = np.array(row["word"])
        given = row["maps"][1].astype(np.float16).astype(float).mean(0)[numbers == one["source"]]
        right, wrong = (
            given[:, np.isin(numbers, places)].sum() for places in (one["right"], one["wrong"][0])
        )
        bits.append(-np.log2(right / (right + wrong)))
    (found,) = rows.query(f"condition == 'A4' and heads == '{MEAN}' and layer == 1").to_dict(
        "records"
    )
    assert found["sentences"] == len(bits) == SENTENCES
    assert found["confusion"] == pytest.approx(np.mean(bits), abs=1e-3)


def test_a_condition_has_the_sentences_that_were_recorded(measure):
    measure()
    rows = pd.read_parquet(CONDITIONS.path(SET))
    counts = rows.drop_duplicates("condition").set_index("condition")["sentences"]
    first = written_stimuli(SENTENCES).query("distractors > 0").iloc[:LACKING]
    assert len(first["condition"].unique()) == 1
    short = counts[counts == SENTENCES - LACKING]
    assert len(short) == 1
    # No sentence is there for probes, which read states.
    assert pd.read_parquet(STIMULI / SET / "probes.parquet").empty


def first_of(rows: list[dict]) -> dict:
    """A sentence, no decoy."""
    return next(row for row in rows if "again" not in row["tokens"])


def twice(rows: list[dict]) -> None:
    rows.append(first_of(rows) | {"id": "once more"})


def without_words(rows: list[dict]) -> None:
    first_of(rows)["words"] = []


def cut(rows: list[dict]) -> None:
    row = first_of(rows)
    row["word"] = [number if number != 2 else -1 for number in row["word"]]


def of_no_word(rows: list[dict]) -> None:
    row = first_of(rows)
    row["word"] = [*row["word"][:-1], 99]


def few(rows: list[dict]) -> None:
    rows[:] = [*[row for row in rows if "again" in row["tokens"]][:1], first_of(rows)]


def unsound(rows: list[dict]) -> None:
    row = first_of(rows)
    row["maps"] = row["maps"] * 0.9


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (twice, "my/maps/tokens.parquet: '.*' stands twice; mend that, then run `dvc repro"),
        (without_words, r"tokens.parquet, example .*: its words are unknown.*; mend the row"),
        (cut, r"of '.*\.' no token is of word 2 \('\w+'\); mend that"),
        (of_no_word, "a token belongs to word 99, but there are"),
        (few, "it lacks '.*' and others: condition A1 keeps sentences of . nouns, and needs .* 5"),
        (unsound, "example 'recorded-.*', layer 0, head 0: row 0 sums to 0.9"),
    ],
)
def test_what_is_no_recording_of_the_sentences_is_refused(measure, change, complaint):
    with pytest.raises(InputError, match=complaint):
        measure(change)


def test_maps_come_along_without_what_else_lies_there(measure, tmp_path):
    (tmp_path / "secret").write_text("key")
    measure()
    (tmp_path / "my/maps/notes").symlink_to(tmp_path / "secret")
    stimuli_stage.run_stage(SET)
    names = sorted(file.name for file in (STIMULI / SET / "maps").iterdir())
    assert names == ["index.parquet", "maps-00000.f16", "store.json", "tokens.parquet"]
    (tmp_path / "my/maps/maps-00000.f16").rename(tmp_path / "shard")
    (tmp_path / "my/maps/maps-00000.f16").symlink_to(tmp_path / "shard")
    with pytest.raises(InputError, match=r"maps-00000\.f16: it is a link"):
        stimuli_stage.run_stage(SET)


def test_a_decoy_may_stand_twice(measure):
    def repeat(rows: list[dict]) -> None:
        decoy = next(row for row in rows if "again" in row["tokens"])
        rows.append(decoy | {"id": "once more"})

    measure(repeat)
    assert CONDITIONS.path(SET).is_file()


def test_a_column_of_words_is_asked_for_and_a_folder(measure, tmp_path):
    def without(rows: list[dict]) -> None:
        for row in rows:
            del row["words"]

    with pytest.raises(InputError, match="no column `words`"):
        measure(without)
    (tmp_path / "my").rename(tmp_path / "moved")
    with pytest.raises(InputError, match="`stimuli.elsewhere.recorded.path` is my/maps"):
        stimuli_stage.run_stage(SET)


def test_other_tokens_than_were_signed_are_refused(measure, tmp_path):
    measure()
    file = tmp_path / "my/maps/tokens.parquet"
    tokens = pd.read_parquet(file)
    tokens.iloc[::-1].to_parquet(file, index=False)
    header = json.loads((tmp_path / "my/maps/store.json").read_text())
    for entry in header["files"]:
        if entry["name"] == file.name:
            content = file.read_bytes()
            entry |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (tmp_path / "my/maps/store.json").write_text(json.dumps(header))
    with pytest.raises(InputError, match="row 0 is .*, but the index has"):
        stimuli_stage.run_stage(SET)
