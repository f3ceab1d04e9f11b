"""`prepare` from parameters to files."""

from pathlib import Path

import pytest

from stages.core.stage.files import InputError
from stages.core.tasks.examples import read_examples
from stages.prepare.__main__ import main

REPOSITORY = Path(__file__).parents[2]
PARAMETERS = """
tasks:
  sentiment:
    data: {source: written, train: 12, validation: 6, seed: 1}
    kind: classification
    labels: [negative, positive]
    metrics: [accuracy]
  own:
    data:
      source: files
      splits: {train: train.tsv, validation: dev.tsv}
      columns: {text_a: text, label: label}
    kind: classification
    labels: [no, yes]
    metrics: [accuracy]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "params.yaml").write_text(PARAMETERS)
    (tmp_path / "data").symlink_to(REPOSITORY / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_written_task_becomes_two_files_with_the_same_bytes_again(folder):
    main("sentiment")
    paths = [folder / f"work/tasks/sentiment/{split}.parquet" for split in ("train", "validation")]
    first = [path.read_bytes() for path in paths]
    assert [len(read_examples(path)) for path in paths] == [12, 6]
    main("sentiment")
    assert [path.read_bytes() for path in paths] == first


def test_own_files_are_read(folder):
    (folder / "train.tsv").write_text("text\tlabel\nGood.\tyes\nBad.\tno\n")
    (folder / "dev.tsv").write_text("text\tlabel\nFine.\tyes\n")
    main("own")
    train = read_examples(folder / "work/tasks/own/train.parquet")
    assert train["text_a"].tolist() == ["Good.", "Bad."]
    assert train["label"].tolist() == [1.0, 0.0]
    assert train["words"].tolist() == [[], []]


def test_a_bad_row_leaves_no_file(folder):
    (folder / "train.tsv").write_text("text\tlabel\nGood.\tmaybe\n")
    (folder / "dev.tsv").write_text("text\tlabel\nFine.\tyes\n")
    with pytest.raises(InputError, match=r"train\.tsv"):
        main("own")
    assert not (folder / "work/tasks/own").exists()
