"""Labelling maps of tiny checkpoints, as commands, from `draw` to `finish`."""

from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.stage.files import InputError
from stages.patterns.labelled_maps import (
    ABBREVIATIONS,
    CLASSES,
    check_folds,
    read_labelled,
    read_table,
)
from stages.patterns.map_file import read_maps
from stages.patterns.network import Architecture, PatternNetwork, save_networks
from tests import toy
from tests.patterns.test_outside import store_of
from tools.labelling import __main__ as labelling
from tools.labelling.options import TASKS

PLAN = ["--folds", "2", "--items", "5", "--shortest", "4", "--longest", "40"]


ABBREVIATION = {name: short.upper() for short, name in ABBREVIATIONS.items()}


def command(*words: str) -> str:
    result = CliRunner().invoke(labelling.app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with examples of the tasks that the tool draws from, and one model."""
    monkeypatch.chdir(tmp_path)
    for task in TASKS:
        toy.write_examples_of(task, 60, pairs=task != "sentiment")
    folder = Path("work/models/sentiment/untuned-0")
    folder.parent.mkdir(parents=True)
    folder.symlink_to(tiny_bert)
    assert load_tokenizer(folder)
    return tmp_path


def test_maps_of_a_second_encoder_join_those_of_the_first(project, tiny_bert):
    folder = Path("labelled")
    first = [*PLAN, "--folder", str(folder), "--models", "sentiment/untuned-0", "--count", "8"]
    assert "8 maps of" in command("draw", *first)
    second = [*PLAN, "--folder", str(folder), "--encoder", "other", "--checkpoint", str(tiny_bert)]
    command("draw", *second, "--count", "12", "--more", "--seed", "1")
    command("draw", *first, "--more", "--seed", "2", "--by", "chance")

    table, maps = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    assert table["map"].tolist() == list(range(28)) and len(maps) == 28
    assert (
        table["encoder"].tolist()
        == ["all-MiniLM-L6-v2"] * 8 + ["other"] * 12 + ["all-MiniLM-L6-v2"] * 8
    )
    assert set(table.loc[table["encoder"] == "other", "task"]) <= set(TASKS)
    assert [len(weights) for weights in maps] == table["length"].tolist()
    check_folds(table, folder / "maps.csv")
    assert not {"guess", *CLASSES} & set(table)


def write_labels(path: Path, maps, labels) -> str:
    pd.DataFrame({"map": maps, "label": labels, "doubt": ""}).to_csv(path, index=False)
    return str(path)


def test_from_sheets_to_adjudicated_labels(project):
    at = ["--folder", "labelled"]
    command("draw", *PLAN, *at, "--models", "sentiment/untuned-0", "--count", "6")
    with pytest.raises(InputError, match="--more"):
        command("draw", *PLAN, *at, "--models", "sentiment/untuned-0", "--count", "6")

    command("sheets", "sheets", *at)
    assert Path("sheets/sheet-0000.png").exists()
    first = write_labels(Path("first.csv"), range(5), list("VVDBV"))
    second = write_labels(Path("second.csv"), range(5), list("VVVBV"))
    command("sheets", "closer", *at, "--closer", first, second)
    # Two labels, a block, and the map that nobody has labelled.
    assert read_table(Path("closer/labels.csv"))["map"].tolist() == [2, 3, 5]
    closer = [
        write_labels(Path("closer_first.csv"), [2, 3, 5], list("DBH")),
        write_labels(Path("closer_second.csv"), [2, 3, 5], list("DVH")),
    ]
    assert '"agreement": 0.6667' in command("compare", *closer, "differ", *at)
    assert read_table(Path("differ/labels.csv"))["map"].tolist() == [3]

    with pytest.raises(InputError, match="no decision on maps 3;"):
        command("finish", first, second, *closer, *at)
    decisions = write_labels(Path("decisions.csv"), [3], ["H"])
    command("finish", first, second, *closer, *at, "--decisions", decisions)
    labels = read_labelled(Path("labelled")).table["label"]
    assert [ABBREVIATION[label] for label in labels] == list("VVDHVH")


def test_a_draw_by_chance_takes_what_is_there_and_knows_no_classes(project):
    options = ["--models", "sentiment/untuned-0", "--folder", "labelled", "--by", "chance"]
    assert "40 maps of" in command("draw", *PLAN, *options, "--count", "100000")
    with pytest.raises(InputError, match="--class"):
        command("draw", *PLAN, *options, "--count", "6", "--more", "--class", "block")


def test_draws_go_by_a_classifier_where_it_is_asked_for(project):
    size = Architecture(side=16, width=4, last_width=8, wide=0.5, dropout=0.0)
    save_networks([PatternNetwork(size)], Path("classifier"))
    options = ["--models", "sentiment/untuned-0", "--count", "6", "--folder", "labelled"]
    for number, by in enumerate(("maps", "heads")):
        with pytest.raises(InputError, match="--classifier"):
            command("draw", *PLAN, *options, "--by", by, "--more")
        given = ["--by", by, "--classifier", "classifier", *["--more"] * number]
        assert f"{6 * number + 6} maps of" in command("draw", *PLAN, *options, *given)
    assert (
        read_table(Path("labelled/maps.csv"))["drawn_by"].tolist() == ["maps"] * 6 + ["heads"] * 6
    )


def test_sheets_in_parts_of_maps_drawn_by_chance(project):
    at = ["--folder", "labelled", "--models", "sentiment/untuned-0"]
    command("draw", *PLAN, *at, "--count", "6")
    command("draw", *PLAN, *at, "--count", "7", "--by", "chance", "--more")
    for seed in ("1", "2"):
        command("parts", seed, "--folder", "labelled", "--size", "5", "--seed", seed)
    drawn = [[read_table(Path(seed, part, "labels.csv")) for part in "12"] for seed in "12"]
    for first, second in drawn:
        assert list(first) == ["map", "any", "special", "sure"]
        assert (len(first), len(second)) == (5, 2)
        assert set(first["map"]) | set(second["map"]) == set(range(6, 13))
    assert drawn[0][0]["map"].tolist() != drawn[1][0]["map"].tolist()
    assert Path("1/1", f"sheet-{drawn[0][0]['map'][0]:04d}.png").exists()


def test_sheets_of_a_recording(project):
    store_of(Path("recording"))
    command("outside", "recording", "drawn", "--count", "8", "--seed", "5")
    with pytest.raises(InputError, match="is there"):
        command("outside", "recording", "drawn", "--count", "8")
    command("parts", "out", "--folder", "drawn", "--recording", "recording", "--size", "6")
    assert read_table(Path("out/2/labels.csv"))["map"].tolist() == [6, 7]
    assert [path.name for path in Path("out/2").glob("*.png")] == ["sheet-0006.png"]
    assert sorted(path.name for path in Path("drawn").iterdir()) == ["maps.csv"]
