"""Drawing maps for labelling from tiny checkpoints, as commands: `draw`, and `draw --more`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from stages.core.checkpoint import load_tokenizer
from stages.core.pattern_data import CLASSES, check_folds, read_maps, read_table
from stages.labelling import __main__ as labelling
from tests.integration import toy

PLAN = ["--folds", "2", "--items", "5", "--shortest", "4", "--longest", "40"]


def command(*words: str) -> str:
    result = CliRunner().invoke(labelling.app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with examples of the tasks that the tool draws from, and one model."""
    monkeypatch.chdir(tmp_path)
    for task in labelling.TASKS:
        toy.write_examples_of(task, 60)
    folder = Path("work/models/sentiment-none-0")
    folder.parent.mkdir(parents=True)
    folder.symlink_to(tiny_bert)
    assert load_tokenizer(folder)
    return tmp_path


def test_maps_of_a_second_encoder_join_those_of_the_first(project, tiny_bert):
    folder = Path("labelled")
    first = [*PLAN, "--folder", str(folder), "--models", "sentiment-none-0", "--count", "8"]
    assert "8 maps of" in command("draw", *first)
    second = [*PLAN, "--folder", str(folder), "--encoder", "other", "--checkpoint", str(tiny_bert)]
    command("draw", *second, "--count", "12", "--more", "--seed", "1")
    command("draw", *first, "--more", "--seed", "2", "--no-balanced")

    table, maps = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    assert table["map"].tolist() == list(range(28)) and len(maps) == 28
    assert (
        table["encoder"].tolist()
        == ["all-MiniLM-L6-v2"] * 8 + ["other"] * 12 + ["all-MiniLM-L6-v2"] * 8
    )
    assert set(table.loc[table["encoder"] == "other", "task"]) <= set(labelling.TASKS)
    assert [len(weights) for weights in maps] == table["length"].tolist()
    check_folds(table, folder / "maps.csv")
    assert not {"guess", *CLASSES} & set(table)
