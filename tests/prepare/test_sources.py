"""Files as examples: formats, labels, draws, and rows that are refused."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.core.stage.files import InputError
from stages.core.tasks.task import Task
from stages.prepare.formats import columns_of
from stages.prepare.sources import file_rows, read_source

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
        (["true", "false"], "False", 1.0),
        (["1.0", "2.0"], "2", 1.0),
        ([1, 2.0], " 2.00 ", 1.0),
        (["-1", "1"], "-1.0", 0.0),
        (["no ", "yes"], " no", 0.0),
        (["cafe\u0301", "tea"], "caf\u00e9", 0.0),
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
        ("2\tA cat.\tA dog.\ttrue", "unknown label 'true'"),
        ("2\tA cat.\tA dog.\t1_0", "unknown label '1_0'"),
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


SINGLE = {"text_a": "first", "label": "grade"}


def json_lines(folder: Path, *rows: object) -> Path:
    """A file of these rows; a text is a line as it stands."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return write(folder / "a.jsonl", lines)


STARS = ["1.0", "2.0", "3.0", "4.0", "5.0"]


@pytest.mark.parametrize("labels", [STARS, ["1", "2", "3", "4", "5"], [1, 2, 3, 4, 5]])
def test_stars_as_floats_are_the_classes_of_these_stars(tmp_path: Path, labels: list) -> None:
    path = json_lines(
        tmp_path, *({"first": f"text {star}", "grade": star} for star in map(float, STARS))
    )
    examples = read(path, labels=labels, columns=SINGLE, bad_rows="skip")
    assert examples["label"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_numbers_that_count_from_one_are_no_places(tmp_path: Path) -> None:
    """With `skip` the last class would be lost, and every other one have the next one's name."""
    rows = [{"first": f"text {number}", "grade": number} for number in (1, 2, 3)]
    path = json_lines(tmp_path, *rows)
    for bad_rows in ("stop", "skip"):
        with pytest.raises(InputError, match="its labels count from 1 to 3"):
            read(path, labels=["poor", "some", "very"], columns=SINGLE, bad_rows=bad_rows)
        with pytest.raises(InputError, match="its labels count from 1 to 3"):
            read(path, labels=3, columns=SINGLE, bad_rows=bad_rows)
    path = json_lines(tmp_path, {"first": "text 0", "grade": 0}, *rows)
    examples = read(path, labels=["poor", "some", "very"], columns=SINGLE, bad_rows="skip")
    assert examples["label"].tolist() == [0.0, 1.0, 2.0]


def test_truth_values_have_the_names_of_truth_values(tmp_path: Path) -> None:
    path = json_lines(tmp_path, {"first": "a", "grade": True}, {"first": "b", "grade": False})
    assert read(path, labels=["true", "false"], columns=SINGLE)["label"].tolist() == [0.0, 1.0]
    assert read(path, labels=2, columns=SINGLE)["label"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"first": "A cat \ud83d", "grade": "no"}, "half of a surrogate pair .* in column 'first'"),
        ({"first": "A cat", "grade": "no\ude00"}, "unknown label .*half of a surrogate pair"),
        ({"first": None, "grade": "no"}, "missing text in column 'first'"),
        ({"first": float("nan"), "grade": "no"}, "missing text in column 'first'"),
        ({"grade": "no"}, "missing text in column 'first'"),
        ({"first": 12, "grade": "no"}, "12 in place of a text in column 'first'"),
        ({"first": ["A", "cat"], "grade": "no"}, r"\['A', 'cat'\] in place of a text"),
        ({"first": "A cat", "grade": None}, r"unknown label None \(there is no label\)"),
        ({"first": "A cat", "grade": float("nan")}, "unknown label nan"),
        ({"first": "A cat", "grade": ["no"]}, r"unknown label \['no'\]"),
        ({"first": "A cat", "grade": 10**400}, "unknown label 1000"),
        ('{"first": "A cat", "grade": 1e999}', "unknown label inf"),
        ('{"first": "A cat", "grade": ' + "9" * 5000 + "}", "an integer of 5000 digits"),
        ('{"first": ' + "[" * 900 + "]" * 900 + ', "grade": "no"}', "in place of a text"),
        ('{"first": "a", "first": "b", "grade": "no"}', "the key 'first' stands there twice"),
    ],
)
def test_values_of_json_that_are_no_text_or_label(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: object, reason: str
) -> None:
    path = json_lines(
        tmp_path, {"first": "One.", "grade": "no"}, row, {"first": "Two.", "grade": "yes"}
    )
    with pytest.raises(InputError, match=rf"a\.jsonl: rows that .*\n  line 2: .*{reason}"):
        read(path, columns=SINGLE)
    examples = read(path, columns=SINGLE, bad_rows="skip")
    assert examples["id"].tolist() == ["train-0", "train-2"]
    assert "line 2" in capsys.readouterr().err


@pytest.mark.parametrize("grade", [True, "1_000", "nan", 10**400])
def test_scores_that_are_none(tmp_path: Path, grade: object) -> None:
    path = json_lines(tmp_path, {"first": "A cat", "grade": grade})
    with pytest.raises(InputError, match="line 1: the label .* is no number"):
        read(path, columns=SINGLE, kind="regression", labels=None, metrics=["pearson"])


def test_texts_that_are_half_an_emoji_in_every_format(tmp_path: Path) -> None:
    """As bytes, as other libraries write halves: refused with their row, or left out."""
    half = "A cat \ud83d".encode("utf-8", "surrogatepass")
    (tmp_path / "a.tsv").write_bytes(b"first\tgrade\nOne.\tno\n" + half + b"\tno\nTwo.\tyes\n")
    (tmp_path / "a.csv").write_bytes(b"first,grade\nOne.,no\n" + half + b",no\nTwo.,yes\n")
    texts = pa.array([b"One.", half, b"Two."], pa.binary()).view(pa.string())
    table = pa.table({"first": texts, "grade": ["no", "no", "yes"]})
    pq.write_table(table, tmp_path / "a.parquet")
    for suffix, place in ((".tsv", "line 3"), (".csv", "line 3"), (".parquet", "row 1")):
        file = tmp_path / f"a{suffix}"
        with pytest.raises(InputError, match=f"{place}: .*emoji was cut"):
            read(file, columns=SINGLE)
        assert read(file, columns=SINGLE, bad_rows="skip")["text_a"].tolist() == ["One.", "Two."]


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
def test_numbers_in_typed_formats_are_no_texts(tmp_path: Path, suffix: str) -> None:
    """A cell of a .tsv or .csv is a text, whatever stands in it."""
    frame = pd.DataFrame({"first": ["1984", "null"], "grade": ["no", "yes"]})
    frame.to_csv(tmp_path / f"a{suffix}", sep="\t" if suffix == ".tsv" else ",", index=False)
    found = read(tmp_path / f"a{suffix}", columns=SINGLE)
    assert found["text_a"].tolist() == ["1984", "null"]
    frame.assign(first=[1984, 2001]).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="row 0: 1984 in place of a text"):
        read(tmp_path / "a.parquet", columns=SINGLE)


def test_a_carriage_return_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", ["grade\tfirst", "no\tA cat.\rsecond part", "yes\tTwo."])
    examples = read(path, columns=SINGLE)
    assert examples["text_a"].tolist() == ["A cat.\rsecond part", "Two."]
    cells = ["grade,first", "no,A cat.\rsecond part", 'yes,"Two\r\nor\rthree."', "no,Four.\r"]
    examples = read(write(tmp_path / "a.csv", cells), columns=SINGLE)
    assert examples["text_a"].tolist() == ["A cat.\rsecond part", "Two\r\nor\rthree.", "Four."]


def test_a_tab_separated_file_that_keeps_the_quoting_of_csv(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quoted = '"He said ""no"", so"'
    rows = ["first\tgrade", f"{quoted}\tno", '"Never."\tyes', f"{quoted}\tyes"]
    examples = read(write(tmp_path / "a.tsv", rows), columns=SINGLE)
    assert examples["text_a"].tolist() == [quoted, '"Never."', quoted]
    said = capsys.readouterr().err
    assert f"warning: {tmp_path / 'a.tsv'}: 2 cells keep the quoting of CSV" in said
    assert "save the file as .csv" in said
    # A quotation, and a quote that never closes, are texts.
    read(write(tmp_path / "a.tsv", ["first\tgrade", '"Never."\tno', '"Open.\tyes']), columns=SINGLE)
    assert "quoting" not in capsys.readouterr().err
    rows = ['"first"\t"grade"', '"One."\t"no"']
    with pytest.raises(InputError, match="keep the quoting of CSV; save it as .csv"):
        read(write(tmp_path / "a.tsv", rows), columns=SINGLE)


@pytest.mark.parametrize(
    ("name", "separator", "hint"),
    [
        ("a.csv", ";", "semicolons stand between its cells; save it with commas"),
        ("a.csv", "\t", "tabs stand between its cells; save it with commas"),
        ("a.tsv", ",", "commas stand between its cells; save it with tabs"),
    ],
)
def test_cells_between_other_separators(
    tmp_path: Path, name: str, separator: str, hint: str
) -> None:
    rows = [separator.join(cells) for cells in (["first", "grade"], ["A cat.", "no"])]
    for columns in (SINGLE, {"text_a": 0, "label": 1}):
        with pytest.raises(InputError, match=hint):
            read(write(tmp_path / name, rows), columns=columns)


def test_a_column_that_no_line_of_json_has(tmp_path: Path) -> None:
    path = json_lines(tmp_path, {"first": "A cat", "grade": "no"})
    with pytest.raises(InputError, match=r"columns.text_a` is 'title', which .* has not; its col"):
        read(path, columns={"text_a": "title", "label": "grade"}, bad_rows="skip")


def test_packed_files(tmp_path: Path) -> None:
    content = "\ufefffirst\tgrade\nA cat.\tno\n".encode()
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(content))
    assert read(tmp_path / "a.tsv.gz", columns=SINGLE)["text_a"].tolist() == ["A cat."]


def test_all_rows_of_a_file_for_another_command(tmp_path: Path) -> None:
    """As `tools.new` asks: by its options, and bad rows among the good ones."""
    path = write(tmp_path / "a.tsv", ["first\tgrade", "A cat.\tno", "x", "", "B\tyes"])
    rows = list(file_rows(path, {"--text": "first", "--label": "grade"}))
    assert [row.place for row in rows] == ["line 2", "line 3", "line 5"]
    assert rows[0].values == {"first": "A cat.", "grade": "no"}
    assert (rows[1].values, rows[1].fault) == (None, "1 columns instead of 2")
    with pytest.raises(
        InputError, match=r"--label is 'x', which .*a\.tsv has not; its columns are"
    ):
        list(file_rows(path, {"--text": "first", "--label": "x"}))
    assert columns_of(path) == ["first", "grade"]
    assert columns_of(json_lines(tmp_path, {"first": "A", "grade": 1})) == ["first", "grade"]
    pd.DataFrame({"first": ["A"], "grade": [1]}).to_parquet(tmp_path / "a.parquet")
    assert columns_of(tmp_path / "a.parquet") == ["first", "grade"]


@pytest.mark.parametrize("text", ["A cat,\nor two.", "A cat\tor two.", "A\n\ncat."])
def test_quotes_over_lines_or_tabs_refuse_a_tab_separated_file(tmp_path: Path, text: str) -> None:
    frame = pd.DataFrame({"grade": ["no", "yes", "no"], "first": ["a", text, "b"]})
    frame.to_csv(tmp_path / "a.tsv", sep="\t", index=False)
    for bad_rows in ("stop", "skip"):
        with pytest.raises(
            InputError, match=r"a\.tsv, line \d: .*quoting of CSV.*save .* as \.csv"
        ):
            read(tmp_path / "a.tsv", columns=SINGLE, bad_rows=bad_rows)


def test_a_bad_row_with_an_open_quote_is_left_out(tmp_path: Path) -> None:
    rows = [HEADER, ROWS[0], '2\t"Open.\tno', ROWS[1], '3\t"Open.\tno', '4\tA\tB "c"\tno']
    examples = read(write(tmp_path / "a.tsv", rows), bad_rows="skip")
    assert examples["id"].tolist() == ["train-0", "train-2", "train-4"]


def test_rows_of_a_parquet_file_that_are_not_drawn_take_no_memory(tmp_path: Path) -> None:
    count = 30_000
    names = [f"cat {row}" for row in range(count)]
    frame = pd.DataFrame({"first": names, "grade": "yes", "other": "text"})
    frame.to_parquet(tmp_path / "a.parquet")
    frame[["first", "grade"]].to_csv(tmp_path / "a.csv", index=False)
    options = {"columns": SINGLE, "train": 20, "validation": 1}
    expected = read(tmp_path / "a.csv", **options)
    tracemalloc.start()
    drawn = read(tmp_path / "a.parquet", **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    pd.testing.assert_frame_equal(drawn, expected)
    assert peak < 3_000_000  # bytes


def test_a_parquet_file_of_too_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stages.prepare.formats.MOST_ROWS", 2)
    pd.DataFrame({"first": ["a"] * 3, "grade": "yes"}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet: 3 rows, 2 are read at most; write fewer"):
        read(tmp_path / "a.parquet", columns=SINGLE)


def test_an_ending_in_capitals(tmp_path: Path) -> None:
    for name, row in (("A.TSV", "first\tgrade\na,b\tyes\n"), ("A.CSV", 'first,grade\n"a,b",yes\n')):
        (tmp_path / name).write_text(row)
        assert read(tmp_path / name, columns=SINGLE)["text_a"].tolist() == ["a,b"]
    (tmp_path / "A.TSV.GZ").write_bytes(gzip.compress((tmp_path / "A.TSV").read_bytes()))
    assert read(tmp_path / "A.TSV.GZ", columns=SINGLE)["text_a"].tolist() == ["a,b"]


@pytest.mark.parametrize("word", ["NA", "inf", "null"])
def test_a_word_for_a_missing_number_is_a_bad_row(tmp_path: Path, word: str) -> None:
    path = write(tmp_path / "a.csv", ["first,grade", "a,0", f"b,{word}", "c,1"])
    scores = {"kind": "regression", "labels": None, "metrics": ["pearson"]}
    for more in ({"labels": [0, 1]}, {"labels": 2}, scores):
        with pytest.raises(InputError, match=f"line 3: .*label '{word}'"):
            read(path, columns=SINGLE, **more)
        left = read(path, columns=SINGLE, bad_rows="skip", **more)
        assert left["label"].tolist() == [0.0, 1.0]
