"""A configuration is made of files of one's own: columns, classes and paths."""

from pathlib import Path

import pandas as pd
import pytest

from stages.check.stage import complaints
from stages.core.stage.files import InputError, read_yaml
from tools import new


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two files in a folder, and a project beside it to make configurations in."""
    (tmp_path / "project/configurations").mkdir(parents=True)
    for name in ("stages", "data"):
        (tmp_path / "project" / name).symlink_to(new.ROOT / name)
    monkeypatch.setattr(new, "ROOT", tmp_path / "project")
    rows = ["title\tbody\turgent\tscore\tkey"]
    rows += [f"T {row}\tB {row}\t{('yes', 'no')[row % 2]}\t{row / 2}\tk{row}" for row in range(30)]
    found = tmp_path / "train.tsv", tmp_path / "dev.tsv"
    for file in found:
        file.write_text("\n".join(rows) + "\n")
    return found


def made(files: tuple[Path, Path], *, label: str = "urgent", **more) -> dict:
    new.main("mine", *files, "title", label, **{"rate": 1e-4, "quick": False, **more})
    return read_yaml(new.ROOT / "configurations/mine/settings.yaml")


def test_classes_and_columns_are_those_of_the_files(files):
    settings = made(files, second="body")
    task = settings["tasks"]["mine"]
    assert task["labels"] == ["no", "yes"]
    assert task["metrics"] == ["accuracy", "f1"]
    assert task["data"]["columns"] == {"text_a": "title", "text_b": "body", "label": "urgent"}
    assert settings["run"]["tasks"] == ["mine"]
    folder = new.ROOT / "configurations/mine"
    assert (folder / task["data"]["splits"]["train"]).resolve() == files[0].resolve()
    assert complaints(folder) == []
    assert (folder / "dvc.yaml").is_file()


def test_scores_make_a_regression(files):
    task = made(files, label="score")["tasks"]["mine"]
    assert (task["kind"], "labels" in task) == ("regression", False)


def test_the_quick_one_has_few_examples_and_goes_without_studies(files):
    settings = made(files, quick=True)
    assert "classifier" in settings["run"]["without"]
    parameters = read_yaml(new.ROOT / "configurations/mine/params.yaml")
    assert list(parameters["tasks"]) == ["mine"]
    assert "probes" not in parameters
    assert complaints(new.ROOT / "configurations/mine") == []


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["b", "a", "b"], ["a", "b"]),
        (["10", "9", "1"], ["1", "9", "10"]),
        (["0.5", "1", "2"], None),
        ([str(number) for number in range(21)], None),
        (["0", "1", "x"], ["0", "1", "x"]),
    ],
)
def test_labels_of_a_column(values, labels):
    assert new.labels_of(pd.Series(values), Path("a.tsv")) == labels


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
def test_a_class_may_be_called_as_libraries_call_what_is_missing(tmp_path, suffix):
    file = tmp_path / f"train{suffix}"
    lines = ["text\tlabel", "one\tNA", "two\tnull", "three\t", "four\tyes"]
    file.write_text("\n".join(lines).replace("\t", {".tsv": "\t", ".csv": ","}[suffix]) + "\n")
    assert new.labels_of(new.table_of(file)["label"], file) == ["NA", "null", "yes"]


@pytest.mark.parametrize("values", [["a", "a"], [f"k{number}" for number in range(21)]])
def test_a_column_that_is_neither(values):
    with pytest.raises(InputError, match="different values; name a column"):
        new.labels_of(pd.Series(values), Path("a.tsv"))


def test_what_is_refused(files, tmp_path):
    with pytest.raises(InputError, match="no column 'urgency' for --label; it has"):
        made(files, label="urgency")
    with pytest.raises(InputError, match="neither a folder nor organisation/name"):
        made(files, checkpoint="nowhere")
    with pytest.raises(InputError, match=r"none\.tsv: it cannot be read"):
        made((tmp_path / "none.tsv", files[1]))
    made(files)
    with pytest.raises(InputError, match="is there already"):
        made(files)


def test_a_checkpoint_is_a_folder_or_a_model_of_the_hub(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert new.checkpoint_of("mine") == {"source": "folder", "path": str(tmp_path / "mine")}
    with pytest.raises(InputError, match="no/such/folder: no such folder in .*; it is"):
        new.checkpoint_of("no/such/folder")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    expected = "--checkpoint some/model: no such folder in .*; taken as a model of the Hub: the Hub"
    with pytest.raises(InputError, match=expected):
        new.checkpoint_of("some/model")
    commit = "0123456789" * 4
    made = new.checkpoint_of(f"some/model@{commit}")
    assert made == {"source": "hub", "id": "some/model", "revision": commit}
    printed = capsys.readouterr().out
    assert f"no such folder in {tmp_path}; taken as a model of the Hub, at its commit" in printed
