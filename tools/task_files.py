"""The two files of a task as `prepare` reads them: columns, classes, examples."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.core.stage.files import InputError
from stages.core.stage.settings import checked
from stages.core.tasks.labels import Kind, classes_of, label_name, missing_words, number_of
from stages.core.tasks.task import Task
from stages.core.tasks.texts import shown
from stages.prepare.formats import Row, columns_of, file_rows
from stages.prepare.sources import SPLITS, examples_of, listed

TEXT, SECOND, LABEL = "--text", "--second", "--label"
KEYS = {TEXT: "text_a", SECOND: "text_b", LABEL: "label"}  # of the options in the settings
SKIP = "--bad-rows skip"


@dataclass(frozen=True)
class TaskFiles:
    """What two files hold.

    Attributes:
        entry: of the task in the settings, its files as paths from the current folder.
        task: the same.
        examples: of each split, all of them.
        rows: how many rows each split has.
    """

    entry: dict[str, Any]
    task: Task
    examples: dict[str, list[dict[str, Any]]]
    rows: dict[str, int]

    def said(self) -> list[str]:
        """What was understood, a line each: the kind, rows, classes with counts, an example."""
        texts = "single texts" if self.task.data.columns.text_b is None else "pairs of texts"
        names = self.task.label_names
        of = f"{len(names)} classes" if names else "scores"
        lines = [f"{self.task.kind} of {texts}, {of}, scored by {', '.join(self.task.metrics)}"]
        lines += [self._rows(split) for split in SPLITS]
        labels = {split: [row["label"] for row in self.examples[split]] for split in SPLITS}
        for number, name in enumerate(names):
            counts = (f"{split} {labels[split].count(number)}" for split in SPLITS)
            lines.append(f"class {name}: {', '.join(counts)}")
        if not names:
            every = [score for split in SPLITS for score in labels[split]]
            lines.append(f"scores from {min(every):g} to {max(every):g}")
        first = self.examples[SPLITS[0]][0]
        label = names[int(first["label"])] if names else f"{first['label']:g}"
        shown_texts = (shown(first[key]) for key in ("text_a", "text_b") if key in first)
        return [*lines, f"first example: {', '.join(shown_texts)} -> {label}"]

    def _rows(self, split: str) -> str:
        rows, examples = self.rows[split], len(self.examples[split])
        line = f"{getattr(self.task.data.splits, split)}: {rows} rows for {split}"
        if rows > examples:
            line += f", {rows - examples} of them left out"
        size = getattr(self.task.data, split)
        return line if size is None or size >= examples else f"{line}, {size} of them drawn"


def columns_as_given(file: Path, options: Mapping[str, str]) -> dict[str, str | int]:
    """Columns by name or, where a file has no header line with these names, by number.

    Args:
        options: what each option of `KEYS` is given as.

    Raises:
        InputError: two options name one column, or the file cannot be read.
    """
    columns: dict[str, str | int] = dict(options)
    numbers = all(re.fullmatch(r"\d{1,6}", value, re.ASCII) for value in options.values())
    if numbers and not set(options.values()) <= set(columns_of(file)):
        columns = {option: int(value) for option, value in options.items()}
    for option, column in columns.items():
        first = next(other for other, value in columns.items() if value == column)
        if first != option:
            raise InputError(
                f"{option} and {first} both name the column {column!r}; name one for each"
            )
    return columns


def read_files(
    name: str,
    files: Mapping[str, Path],
    columns: Mapping[str, str | int],
    kind: Kind | None = None,
    **data: Any,
) -> TaskFiles:
    """Read all rows of both files as `prepare` does.

    Args:
        name: of the task.
        files: of each split.
        columns: of the options of `KEYS`.
        kind: of the task; None to tell it by the labels.
        data: further keys of the entry's `data`.

    Raises:
        InputError: a file, a column or a row is not as it should be, or has no mend but leaving
            the row out.
    """
    rows = {split: _rows(file, columns) for split, file in files.items()}
    if all(isinstance(column, int) for column in columns.values()):
        _require_no_header(files, rows, columns[LABEL])
    labels = _labels(files[SPLITS[0]], rows[SPLITS[0]], columns[LABEL], kind)
    entry: dict[str, Any] = {
        "data": {
            "source": "files",
            "splits": {split: str(file) for split, file in files.items()},
            "columns": {KEYS[option]: column for option, column in columns.items()},
            **data,
        }
    }
    if labels is None:
        entry |= {"kind": "regression", "metrics": ["spearman", "pearson"]}
    else:
        metrics = ["accuracy", "f1" if len(labels) == 2 else "macro_f1"]
        entry |= {"kind": "classification", "labels": labels, "metrics": metrics}
    task = checked(Task, entry, name)
    examples = {}
    for split, file in files.items():
        examples[split] = list(examples_of(name, split, str(file), rows[split], task, SKIP))
        if not examples[split]:
            raise InputError(f"{file}: it has no examples; name another file")
    return TaskFiles(entry, task, examples, {split: len(rows[split]) for split in files})


def _rows(file: Path, columns: Mapping[str, str | int]) -> list[Row]:
    """The rows of a file, with these columns alone."""

    def cut(row: Row) -> Row:
        if row.values is None:
            return row
        return row._replace(values={key: row.values.get(key) for key in columns.values()})

    return [cut(row) for row in file_rows(file, columns)]


def _labels(file: Path, rows: list[Row], column: str | int, kind: Kind | None) -> list[str] | None:
    """The classes of a column in order; None where it has scores."""
    counts: Counter[str] = Counter()
    for row in rows:
        try:
            counts[label_name((row.values or {}).get(column))] += 1
        except ValueError:
            continue  # of a row that is refused, or left out, with its place
    try:
        return classes_of(counts, kind)
    except ValueError as fault:
        why = f"the column {column!r} {fault}"
    missing = missing_words(counts)
    bad = _without_label(rows, column, missing) if len(counts) - len(missing) < 2 else []
    if bad:
        why = f"rows that are no examples ({len(bad)}):\n{listed(bad)}\nmend them: else {why}"
    raise InputError(f"{file}: {why}")


def _without_label(rows: list[Row], column: str | int, missing: set[str]) -> list[str]:
    """The places of rows that have no label, each with the reason."""
    bad = []
    for row in rows:
        label = (row.values or {}).get(column)
        try:
            if label_name(label) in missing:
                bad.append(f"{row.place}: the label {shown(label)} is no number")
        except ValueError as fault:
            bad.append(f"{row.place}: {row.fault or fault}")
    return bad


def _require_no_header(
    files: Mapping[str, Path], rows: Mapping[str, list[Row]], column: str | int
) -> None:
    """Refuse files that begin with the same names of columns, which are given by number.

    Raises:
        InputError: both begin with one row, whose label is a word that no other row has.
    """
    train, validation = (rows[split] for split in SPLITS)
    if not train or not validation or train[0] != validation[0] or train[0].values is None:
        return
    labels = [(row.values or {}).get(column) for row in (*train[1:], *validation[1:])]
    first = train[0].values[column]
    if labels and first not in labels and number_of(first) is None:
        raise InputError(
            f"{files[SPLITS[0]]}, {train[0].place}: this is a header line, as its label "
            f"{shown(first)} stands in no other line; name columns by its names"
        )
