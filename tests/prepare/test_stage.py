"""`prepare` from parameters to files."""

from pathlib import Path

import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.tasks.examples import read_examples
from stages.prepare.stage import run_stage

REPOSITORY = Path(__file__).parents[2]
PARAMETERS = """
unknown_tokens: {warned: 0.03, refused: 0.3}
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
def folder(tmp_path, monkeypatch, tiny_bert):
    checkpoint = f"checkpoint: {{source: folder, path: {tiny_bert}}}\n"
    (tmp_path / "params.yaml").write_text(checkpoint + PARAMETERS)
    (tmp_path / "data").symlink_to(REPOSITORY / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_written_task_becomes_two_files_with_the_same_bytes_again(folder):
    run_stage("sentiment")
    paths = [folder / f"work/tasks/sentiment/{split}.parquet" for split in ("train", "validation")]
    first = [path.read_bytes() for path in paths]
    assert [len(read_examples(path)) for path in paths] == [12, 6]
    run_stage("sentiment")
    assert [path.read_bytes() for path in paths] == first


def test_own_files_are_read(folder):
    (folder / "train.tsv").write_text("text\tlabel\nGood.\tyes\nBad.\tno\n")
    (folder / "dev.tsv").write_text("text\tlabel\nFine.\tyes\n")
    run_stage("own")
    train = read_examples(folder / "work/tasks/own/train.parquet")
    assert train["text_a"].tolist() == ["Good.", "Bad."]
    assert train["label"].tolist() == [1.0, 0.0]
    assert train["words"].tolist() == [[], []]


def test_a_bad_row_leaves_no_file(folder):
    (folder / "train.tsv").write_text("text\tlabel\nGood.\tmaybe\n")
    (folder / "dev.tsv").write_text("text\tlabel\nFine.\tyes\n")
    with pytest.raises(InputError, match=r"train\.tsv"):
        run_stage("own")
    assert not (folder / "work/tasks/own").exists()


def write_own(folder: Path, train: list[str], validation: list[str]) -> None:
    for name, texts in (("train", train), ("dev", validation)):
        rows = [f"{text}\t{('no', 'yes')[row % 2]}" for row, text in enumerate(texts)]
        (folder / f"{name}.tsv").write_text("\n".join(["text\tlabel", *rows]) + "\n")


def test_sizes_are_counted_and_examples_of_both_splits_are_told(folder, capsys):
    """Every letter is a token of the tiny vocabulary, and so is every sign but these."""
    write_own(folder, ["good dog", "bad cat", "a ☃ house", "the river"], ["bad cat", "new song"])
    run_stage("own")
    table = pd.read_parquet("work/measures/prepare/own/sizes.parquet").drop(columns="data")
    assert table.to_dict("records") == [
        {"split": "train", "examples": 4, "tokens": 9, "unknown": 1, "in_both": 1},
        {"split": "validation", "examples": 2, "tokens": 6, "unknown": 0, "in_both": 1},
    ]
    said = capsys.readouterr().err
    assert "own train: 11% of its 9 tokens are unknown to the tokenizer" in said
    assert "1 of 2 validation examples are training examples, too" in said


def test_another_script_is_refused(folder):
    write_own(folder, ["小狗 喜欢 河 good", "房子"], ["歌 书", "老师"])
    with pytest.raises(
        InputError, match="own train: .* tokens are unknown .*unknown_tokens.refused"
    ):
        run_stage("own")
    assert not (folder / "work").exists()


def test_training_examples_of_one_class_are_refused_with_their_file(folder):
    (folder / "train.tsv").write_text("text\tlabel\nGood.\tyes\nFine.\tyes\n")
    (folder / "dev.tsv").write_text("text\tlabel\nFine.\tyes\nBad.\tno\n")
    with pytest.raises(InputError, match=r"train\.tsv: all 2 training examples have .*'yes'"):
        run_stage("own")
    assert not (folder / "work/tasks/own").exists()


def test_a_class_without_a_training_example_is_named(folder, capsys):
    parameters = (folder / "params.yaml").read_text()
    (folder / "params.yaml").write_text(parameters.replace("[no, yes]", "[no, yes, maybe]"))
    (folder / "train.tsv").write_text("text\tlabel\nGood.\tyes\nBad.\tno\n")
    (folder / "dev.tsv").write_text("text\tlabel\nFine.\tyes\nOdd.\tmaybe\n")
    run_stage("own")
    assert "train.tsv: no training example has the label maybe" in capsys.readouterr().err
