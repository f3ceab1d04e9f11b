"""Files as examples: formats, labels, draws, and rows that are refused."""

from pathlib import Path

import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.tasks.task import Task
from stages.prepare.sources import read_source

HEADER = "index\tfirst\tsecond\tgrade"
ROWS = ["0\tA cat.\tA dog.\tno", "1\tTwo cats.\tCats, two.\tyes"]


def task(train_file: Path, validation_file: Path | None = None, **changes: object) -> Task:
    data = {
        "source": "files",
        "splits": {"train": str(train_file), "validation": str(validation_file or train_file)},
        "columns": {"text_a": "first", "text_b": "second", "label": "grade"},
    }
    entry = {"kind": "classification", "labels": ["no", "yes"], "metrics": ["accuracy"]}
    for key, value in changes.items():
        (entry if key in Task.model_fields else data)[key] = value
    return Task.model_validate(entry | {"data": data})


def write(path: Path, lines: list[str], end: str = "\n") -> Path:
    path.write_bytes((end.join(lines) + end).encode())
    return path


def read(file: Path, **changes: object) -> pd.DataFrame:
    return read_source("own", task(file, **changes))["train"]


def test_tab_separated_pairs(tmp_path: Path) -> None:
    examples = read(write(tmp_path / "a.tsv", [HEADER, *ROWS]))
    assert examples["id"].tolist() == ["train-0", "train-1"]
    assert examples["text_a"].tolist() == ["A cat.", "Two cats."]
    assert examples["text_b"].tolist() == ["A dog.", "Cats, two."]
    assert examples["label"].tolist() == [0.0, 1.0]
    assert examples["words"].tolist() == [[], []]


def test_quotes_in_a_tab_separated_file_mean_themselves(tmp_path: Path) -> None:
    rows = ['0\t"Open.\tNever closed.\tno', "1\tTwo cats.\tCats.\tyes"]
    examples = read(write(tmp_path / "a.tsv", [HEADER, *rows]))
    assert examples["text_a"].tolist() == ['"Open.', "Two cats."]


def test_marks_of_other_systems(tmp_path: Path) -> None:
    """A byte order mark, carriage returns, a line separator inside a text, a blank last line."""
    rows = ["\ufeff" + HEADER, "0\tA\u2028cat.\tA dog.\tno", ""]
    examples = read(write(tmp_path / "a.tsv", rows, "\r\n"))
    assert examples["text_a"].tolist() == ["A\u2028cat."]
    assert examples["label"].tolist() == [0.0]


def test_comma_separated_with_quotes_over_two_lines(tmp_path: Path) -> None:
    rows = ["first,second,grade", '"A cat,\nor two.",A dog.,yes', "x,y"]
    path = write(tmp_path / "a.csv", rows)
    with pytest.raises(InputError, match="line 4: 2 columns instead of 3"):
        read(path)
    assert read(path, bad_rows="skip")["text_a"].tolist() == ["A cat,\nor two."]


def test_a_quote_that_never_ends(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ["first,second,grade", '"A cat,A dog.,yes'])
    with pytest.raises(InputError, match=r"a\.csv, line 2: .*mend the quotes"):
        read(path)


def test_json_lines_and_parquet_agree_with_the_rest(tmp_path: Path) -> None:
    frame = pd.DataFrame({"first": ["A cat."], "second": ["A dog."], "grade": ["yes"]})
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "a.parquet")
    lines, parquet = read(tmp_path / "a.jsonl"), read(tmp_path / "a.parquet")
    assert lines[["text_a", "text_b", "label"]].values.tolist() == [["A cat.", "A dog.", 1.0]]
    pd.testing.assert_frame_equal(lines, parquet)


def test_a_file_without_a_header_has_numbered_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", ROWS)
    examples = read(path, columns={"text_a": 1, "label": 3})
    assert examples["text_a"].tolist() == ["A cat.", "Two cats."]
    assert examples["text_b"].tolist() == [None, None]
    with pytest.raises(InputError, match="if this is no header line, name columns by numbers"):
        read(path)


def test_a_text_beyond_what_the_reader_takes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ["first,second,grade", f'"{"a" * 140_000}",A dog.,yes'])
    with pytest.raises(InputError, match="field limit.* if a text is that long, cut it"):
        read(path)


def test_objects_too_deep_in_each_other(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", ["[" * 100_000])
    with pytest.raises(InputError, match="line 1: not JSON .*too deep"):
        read(path)


def test_truth_values_are_no_names(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='true is a truth value in YAML.*write "true"'):
        task(tmp_path / "a.tsv", labels=[True, False])


@pytest.mark.parametrize(
    ("labels", "given", "number"),
    [
        (["no", "yes"], "yes", 1.0),
        (["no", "yes"], "1", 1.0),
        (["no", "yes"], "1.0", 1.0),
        (3, "2", 2.0),
        (["1", "2", "3"], "1", 0.0),  # names before numbers: stars, say
        (["true", "false"], "true", 0.0),
    ],
)
def test_labels_by_name_and_by_number(
    tmp_path: Path, labels: object, given: str, number: float
) -> None:
    path = write(tmp_path / "a.tsv", [HEADER, f"0\tA cat.\tA dog.\t{given}"])
    assert read(path, labels=labels)["label"].tolist() == [number]


def test_scores(tmp_path: Path) -> None:
    rows = [HEADER, "0\tA\tB\t3.25", "1\tA\tB\tnan"]
    changes = {"kind": "regression", "labels": None, "metrics": ["pearson"]}
    path = write(tmp_path / "a.tsv", rows)
    with pytest.raises(InputError, match="line 3: the label 'nan' is no number"):
        read(path, **changes)
    assert read(path, bad_rows="skip", **changes)["label"].tolist() == [3.25]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2\tA cat.\tA dog.", "3 columns instead of 4"),
        ("2\tA cat.\tA dog.\tno\tno", "5 columns instead of 4"),
        ("2\t \tA dog.\tno", "missing text in column 'first'"),
        ("2\tA cat.\t\tno", "missing text in column 'second'"),
        ("2\tA cat.\tA dog.\tmaybe", "unknown label 'maybe'; known are no, yes"),
        ("2\tA cat.\tA dog.\t2", "unknown label '2'"),
        ("2\tA cat.\tA dog.\t0.5", "unknown label '0.5'"),
        ("2\tA cat.\tA dog.\t", "unknown label ''"),
        ("2\tA cat.\tA dog.\t-1", "kept secret"),
    ],
)
def test_bad_rows_are_refused_or_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: str, reason: str
) -> None:
    path = write(tmp_path / "a.tsv", [HEADER, ROWS[0], row, ROWS[1]])
    with pytest.raises(InputError) as refusal:
        read(path)
    for part in (str(path), "of own (1)", "line 3", reason, "tasks.own.data.bad_rows: skip"):
        assert part in str(refusal.value)
    examples = read(path, bad_rows="skip")
    assert examples["id"].tolist() == ["train-0", "train-2"]
    assert reason in capsys.readouterr().err


def test_only_the_first_bad_rows_are_shown(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", [HEADER, *["x"] * 8])
    with pytest.raises(InputError, match="and 3 more") as refusal:
        read(path)
    assert str(refusal.value).count("line ") == 5


def test_draws_are_repeatable_in_order_and_capped(tmp_path: Path) -> None:
    lines = [HEADER, *(f"{i}\tcat {i}\tdog\tno" for i in range(50))]
    train = write(tmp_path / "a.tsv", lines)
    validation = write(tmp_path / "b.tsv", lines[:5])
    drawn = read_source("own", task(train, validation, train=10, validation=10, seed=3))
    again = read_source("own", task(train, validation, train=10, validation=10, seed=3))
    other = read_source("own", task(train, validation, train=10, validation=10, seed=4))
    numbers = [int(name.split("-")[1]) for name in drawn["train"]["id"]]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 10
    assert drawn["train"]["text_a"].tolist() == [f"cat {number}" for number in numbers]
    assert again["train"]["id"].tolist() == drawn["train"]["id"].tolist()
    assert other["train"]["id"].tolist() != drawn["train"]["id"].tolist()
    assert len(drawn["validation"]) == 4  # a cap, not a demand


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.tsv", b"", "empty"),
        ("a.tsv", b"first\tsecond\tmark\nx\ty\tno\n", "columns.label` is 'grade'"),
        ("a.tsv", b"first\tfirst\tsecond\tgrade\n", "has twice"),
        ("a.tsv", b"first\tsecond\tgrade\nx\xff\ty\tno\n", "line 2: not UTF-8"),
        ("a.jsonl", b"[1]\n", "line 1: not a JSON object"),
        ("a.jsonl", b"{oops\n", "line 1: not JSON"),
        ("a.parquet", b"PAR1", "not a readable parquet file"),
        ("a.txt", b"x", "none of .tsv, .csv, .jsonl, .parquet"),
    ],
)
def test_files_that_cannot_be_read(
    tmp_path: Path, name: str, content: bytes, complaint: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        read(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        read(tmp_path / "a.tsv")
