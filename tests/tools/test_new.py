"""A configuration is made of files of one's own: read as `prepare` reads them, then written."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from stages.check.stage import complaints
from stages.core.stage.files import InputError, read_yaml
from stages.core.tasks.task import load_task
from stages.prepare.sources import read_source
from tools import new

Files = tuple[Path, Path]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Two files in a folder, and a project beside it to make configurations in."""
    (tmp_path / "project/configurations").mkdir(parents=True)
    for name in ("stages", "data"):
        (tmp_path / "project" / name).symlink_to(new.ROOT / name)
    monkeypatch.setattr(new, "ROOT", tmp_path / "project")
    rows = ["title\tbody\turgent\tscore\tkey"]
    rows += [f"T {row}\tB {row}\t{('yes', 'no')[row % 2]}\t{row / 2}\tk{row}" for row in range(30)]
    return both(tmp_path, "\n".join(rows) + "\n")


def both(folder: Path, content: str | bytes, ending: str = "tsv") -> Files:
    """The same content in a file to tune on and in one to measure on."""
    names = folder / f"train.{ending}", folder / f"dev.{ending}"
    for file in names:
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return names


def folder() -> Path:
    return new.ROOT / "configurations/mine"


def made(files: Files, text: str = "title", label: str = "urgent", **more) -> dict:
    new.main("mine", *files, text, label, **more)
    return read_yaml(folder() / "settings.yaml")


def prepared(monkeypatch: pytest.MonkeyPatch) -> dict[str, Counter]:
    """How many examples of each class `prepare` reads by what was made."""
    monkeypatch.chdir(folder())
    task = load_task("mine", "params.yaml")
    frames = read_source("mine", task)
    names = task.label_names
    return {
        split: Counter(names[int(label)] for label in frame["label"])
        for split, frame in frames.items()
    }


def test_classes_and_columns_are_those_of_the_files(files, monkeypatch):
    settings = made(files, second="body")
    task = settings["tasks"]["mine"]
    assert task["labels"] == ["no", "yes"]
    assert task["metrics"] == ["accuracy", "f1"]
    assert task["data"]["columns"] == {"text_a": "title", "text_b": "body", "label": "urgent"}
    assert settings["run"]["tasks"] == ["mine"]
    assert (folder() / task["data"]["splits"]["train"]).resolve() == files[0].resolve()
    assert complaints(folder()) == []
    assert (folder() / "dvc.yaml").is_file()
    counts = prepared(monkeypatch)
    assert counts["train"] == counts["validation"] == {"no": 15, "yes": 15}


def test_what_was_understood_is_said(files, capsys):
    files[1].write_text("title\turgent\na\tyes\n\n\u2028b\tno\nc\tyes\n")
    made(files)
    assert capsys.readouterr().out.splitlines()[:6] == [
        "classification of single texts, 2 classes, scored by accuracy, f1",
        f"{files[0]}: 30 rows for train",
        f"{files[1]}: 3 rows for validation",
        "class no: train 15, validation 1",
        "class yes: train 15, validation 2",
        "first example: 'T 0' -> yes",
    ]


def test_scores_make_a_regression(files, capsys):
    task = made(files, label="score", second="body")["tasks"]["mine"]
    assert (task["kind"], "labels" in task) == ("regression", False)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "regression of pairs of texts, scores, scored by spearman, pearson"
    assert said[3:5] == ["scores from 0 to 14.5", "first example: 'T 0', 'B 0' -> 0"]


def test_the_quick_one_has_few_examples_of_its_own_task_alone(files, capsys, monkeypatch):
    monkeypatch.setattr(new, "QUICK_ROWS", {"train": 20, "validation": 40})
    settings = made(files, quick=True)
    assert "classifier" in settings["run"]["without"]
    assert f"{files[0]}: 30 rows for train, 20 of them drawn" in capsys.readouterr().out
    parameters = read_yaml(folder() / "params.yaml")
    assert list(parameters["tasks"]) == ["mine"]
    assert parameters["corpora"] == {}
    assert "probes" not in parameters
    assert complaints(folder()) == []
    assert prepared(monkeypatch)["train"].total() == 20


LINES = ["first text\tno", "second text\tyes", "third text\tno", "fourth text\tyes"]


def test_columns_by_number_where_there_is_no_header_line(files, tmp_path, monkeypatch, capsys):
    rows = [f"src{row}\t{row % 2}\t{'*' * (row % 2)}\tA text {row}." for row in range(1, 7)]
    task = made(both(tmp_path, "\n".join(rows)), text="3", label="1")["tasks"]["mine"]
    assert task["data"]["columns"] == {"text_a": 3, "label": 1}
    assert task["labels"] == ["0", "1"]
    assert prepared(monkeypatch)["train"] == {"0": 3, "1": 3}
    assert capsys.readouterr().err == ""


def test_a_header_line_of_numbers_has_names(files, tmp_path, monkeypatch):
    task = made(both(tmp_path, "\n".join(["0\t1", *LINES])), text="0", label="1")["tasks"]["mine"]
    assert task["data"]["columns"] == {"text_a": "0", "label": "1"}
    assert prepared(monkeypatch)["train"] == {"no": 2, "yes": 2}


@pytest.mark.parametrize("labels", [("no", "yes"), ("0.5", "1")])
def test_a_header_line_is_no_row(files, tmp_path, labels):
    rows = ["title\turgent", *(f"text {row}\t{labels[row % 2]}" for row in range(4))]
    with pytest.raises(
        InputError, match=r"train\.tsv, line 1: this is a header line, as its label"
    ):
        made(both(tmp_path, "\n".join(rows)), text="0", label="1")
    assert not folder().exists()


def test_a_carriage_return_inside_a_text_ends_no_line(files, tmp_path, monkeypatch):
    rows = ["title\turgent", *LINES, "one\rsecond part\tno"]
    task = made(both(tmp_path, "\n".join(rows)))["tasks"]["mine"]
    assert task["labels"] == ["no", "yes"]
    assert prepared(monkeypatch)["train"] == {"no": 3, "yes": 2}


def test_numbers_are_classes_by_value(files, tmp_path, monkeypatch):
    stars = [1.0, 2, "3.0", "4", 5.0]
    rows = [{"text": f"text {row}", "stars": stars[row % 5]} for row in range(20)]
    pair = both(tmp_path, "\n".join(map(json.dumps, rows)), "jsonl")
    task = made(pair, text="text", label="stars")["tasks"]["mine"]
    assert task["labels"] == ["1", "2", "3", "4", "5"]
    assert prepared(monkeypatch)["validation"] == dict.fromkeys("12345", 4)


def test_stars_are_scores_where_the_user_says_so(files, tmp_path):
    rows = ["title\turgent", *(f"text {row}\t{row % 5}.0" for row in range(20))]
    task = made(both(tmp_path, "\n".join(rows)), kind="regression")["tasks"]["mine"]
    assert (task["kind"], task["metrics"]) == ("regression", ["spearman", "pearson"])


def test_quotes_as_of_csv_in_a_tsv_are_warned_of(files, tmp_path, capsys):
    rows = ["title\turgent", '"he said ""no"", so"\tno', *LINES]
    pair = both(tmp_path, "\n".join(rows))
    made(pair)
    said = capsys.readouterr()
    for file in pair:
        assert re.search(f"warning: {file}: .*quoting of CSV.*save", said.err)
    assert """first example: '"he said ""no"", so"' -> no""" in said.out


@pytest.mark.parametrize("ending", ["tsv", "csv"])
def test_a_class_may_be_called_as_libraries_call_what_is_missing(files, tmp_path, ending):
    rows = ["title\turgent", "one\tNA", "two\tnull", "three\tyes", "four\tNA"]
    content = "\n".join(rows).replace("\t", {"tsv": "\t", "csv": ","}[ending])
    task = made(both(tmp_path, content, ending))["tasks"]["mine"]
    assert task["labels"] == ["NA", "null", "yes"]


def test_rows_that_are_no_examples_are_left_out_where_the_user_says_so(files, monkeypatch, capsys):
    with files[1].open("a") as stream:
        stream.write("T\tB\tmaybe\t1\tk\n \tB\tno\t1\tk\nT\tB\n")
    with pytest.raises(InputError) as refusal:
        made(files)
    assert f"{files[1]}: rows that are no examples of mine (3)" in str(refusal.value)
    for line in ("line 32: unknown label 'maybe'", "line 33: missing text", "line 34: 2 columns"):
        assert line in str(refusal.value)
    assert str(refusal.value).endswith("leave them out with --bad-rows skip")
    assert not folder().exists()
    assert made(files, bad_rows="skip")["tasks"]["mine"]["data"]["bad_rows"] == "skip"
    assert "33 rows for validation, 3 of them left out" in capsys.readouterr().out
    assert prepared(monkeypatch)["validation"] == {"no": 15, "yes": 15}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"label": "urgency"},
            r"--label is 'urgency', which .*train\.tsv has not; its columns are",
        ),
        ({"text": "titel"}, "--text is 'titel', which"),
        ({"second": "bodi"}, "--second is 'bodi', which"),
        ({"text": "9", "label": "2"}, r"--text is 9, which .*train\.tsv has not"),
        ({"label": "title"}, "--label and --text both name the column 'title'"),
        ({"second": "title"}, "--second and --text both name the column 'title'"),
        ({"second": "urgent"}, "--label and --second both name the column 'urgent'"),
        ({"text": "0", "label": "00"}, "--label and --text both name the column 0"),
        ({"label": "key"}, r"train\.tsv: the column 'key' has 30 different values"),
        ({"label": "key", "kind": "regression"}, r"train\.tsv: the column 'key' has 'k0', which"),
        ({"rate": -1e-4}, "--rate is -0.0001; give a number above 0"),
        ({"rate": 0.0}, "--rate is 0"),
        ({"rate": 1e9}, "--rate is 1000000000.0; give a number above 0 and not above 1"),
        ({"rate": float("nan")}, "--rate is nan"),
        ({"rate": float("inf")}, "--rate is inf"),
    ],
)
def test_options_are_refused_as_they_are_called_and_nothing_is_written(files, more, said):
    with pytest.raises(InputError, match=f"^{said}" if said.startswith("--") else said):
        made(files, **more)
    assert list((new.ROOT / "configurations").iterdir()) == []


@pytest.mark.parametrize(("kind", "labels"), [(None, [0, 1]), ("regression", None)])
def test_a_word_for_a_missing_number_is_no_class(files, tmp_path, kind, labels):
    rows = ["title\turgent", "a\t0", "b\tNA", "c\t1", "d\t1"]
    pair = both(tmp_path, "\n".join(rows))
    with pytest.raises(InputError, match=r"train\.tsv: .* \(1\):\n  line 3: .*label 'NA'"):
        made(pair, kind=kind)
    task = made(pair, kind=kind, bad_rows="skip")["tasks"]["mine"]
    assert task.get("labels") == (labels and [str(label) for label in labels])


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (["a\tyes\tno"] * 3, r"line 2: 3 columns instead of 2\n(.*\n)+mend them: else the column"),
        (["a\t", "b\tno"], "line 2: there is no label"),
        (["a\t1", "b\tNA"], "line 3: the label 'NA' is no number"),
    ],
)
def test_bad_rows_are_named_before_the_column_that_they_leave(files, tmp_path, rows, fault):
    pair = both(tmp_path, "\n".join(["title\turgent", *rows]))
    with pytest.raises(InputError, match=rf"train\.tsv: rows .* \(\d\):\n  {fault}"):
        made(pair)


def test_files_that_are_missing_or_have_no_examples(files, tmp_path):
    with pytest.raises(InputError, match=r"no file .*none\.tsv"):
        made((tmp_path / "none.tsv", files[1]))
    files[1].write_text("title\turgent\n")
    with pytest.raises(InputError, match=r"dev\.tsv: it has no examples; name another file"):
        made(files)
    files[0].write_text("title\turgent\na\tno\nb\tno\n")
    with pytest.raises(InputError, match=r"train\.tsv: the column 'urgent' has 1 different values"):
        made(files)
    assert not folder().exists()


@pytest.mark.parametrize("name", ["../mine", "mine/..", "/tmp/mine", "..", "", "a b", "a-b", "a.b"])
def test_a_name_that_is_none_or_would_write_elsewhere(files, name):
    with pytest.raises(InputError, match="a name has letters, digits and _ only"):
        new.main(name, *files, "title", "urgent")


def test_a_task_of_the_default_is_not_mixed_with_the_users(files):
    with pytest.raises(InputError, match="'similarity': the default has a task of that name"):
        new.main("similarity", *files, "title", "urgent")


def test_nothing_that_is_there_is_replaced(files, tmp_path):
    made(files)
    settings = folder() / "settings.yaml"
    settings.write_text("# edited\n")
    with pytest.raises(InputError, match=r"settings\.yaml is there already; edit it"):
        made(files)
    assert settings.read_text() == "# edited\n"
    settings.unlink()
    kept = (folder() / "params.yaml").read_bytes()
    with pytest.raises(InputError, match=r"params\.yaml is there already; take another name"):
        made(files)
    assert (folder() / "params.yaml").read_bytes() == kept


def test_files_of_the_user_may_lie_in_the_folder(files):
    (folder() / "my").mkdir(parents=True)
    moved = tuple(file.rename(folder() / "my" / file.name) for file in files)
    splits = made(moved)["tasks"]["mine"]["data"]["splits"]
    assert splits == {"train": "my/train.tsv", "validation": "my/dev.tsv"}


@pytest.mark.parametrize("kind", ["link", "dangling link", "file", "data"])
def test_a_folder_that_is_elsewhere_or_no_folder(files, tmp_path, kind):
    elsewhere = tmp_path / "elsewhere"
    if kind == "file":
        folder().write_text("mine")
    elif kind == "data":
        (folder() / "data").mkdir(parents=True)
    else:
        os.symlink(elsewhere, folder())
        if kind == "link":
            elsewhere.mkdir()
    with pytest.raises(InputError, match="is there already; take another name, or move it away"):
        made(files)
    assert not elsewhere.exists() or list(elsewhere.iterdir()) == []


def test_a_checkpoint_that_is_neither(files):
    with pytest.raises(InputError, match="neither a folder nor organisation/name"):
        made(files, checkpoint="nowhere")


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
