"""The generated text that comes with this project: packed JSON lines in `data/written/`.

The README there says how the text was generated, by which commit, and what each file holds.
"""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from stages.core.lines import numbered_lines
from stages.core.questions.question import Question
from stages.core.stage.files import InputError
from stages.core.tasks.examples import drawn_rows, examples_frame
from stages.core.tasks.task import WrittenData

FOLDER = Path("data/written")
SPLITS = ("train", "validation")


def written_rows(name: str) -> list[dict[str, Any]]:
    """The rows of `data/written/NAME.jsonl.zst`, in the order of the file.

    Raises:
        InputError: there is no such file, or it is damaged.
    """
    path = FOLDER / f"{name}.jsonl.zst"
    if not path.is_file():
        names = ", ".join(sorted(file.name.split(".")[0] for file in FOLDER.glob("*.jsonl.zst")))
        raise InputError(
            f"{path}: no such file; the source `written` has {names or 'nothing'}: take one of "
            "them, or another source"
        )
    return [json.loads(line) for _, line in numbered_lines(path)]


def written_examples(name: str, data: WrittenData) -> dict[str, pd.DataFrame]:
    """The examples of the task NAME with their gold annotation, a frame for each split.

    Raises:
        InputError: no text was written for this task.
    """
    return {split: examples_frame(rows) for split, rows in _drawn_splits(name, data).items()}


def written_questions(data: WrittenData) -> dict[str, list[Question]]:
    """The written questions, a list for each split, whatever the task is called.

    Raises:
        InputError: their file is missing or damaged.
    """
    fields = ("id", "passage", "question", "options", "answer")
    return {
        split: [
            Question(**{field: row[field] for field in fields} | {"options": tuple(row["options"])})
            for row in rows
        ]
        for split, rows in _drawn_splits("questions", data).items()
    }


def _drawn_splits(name: str, data: WrittenData) -> dict[str, list[dict[str, Any]]]:
    rows = written_rows(name)
    splits = {}
    for number, split in enumerate(SPLITS):
        of_split = [row for row in rows if row["split"] == split]
        drawn = drawn_rows(len(of_split), getattr(data, split), [data.seed, number])
        splits[split] = [of_split[row] for row in drawn]
    return splits
