"""Questions of data sets of the Hub, from a stand-in on the loopback."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from datasets import ClassLabel, Dataset, Features, List, Value

from tests.integration.hub import COMMIT, serving

REPOSITORY = Path(__file__).parents[2]
CARD = """---
configs:
- config_name: default
  data_files:
  - {split: train, path: train.parquet}
  - {split: validation, path: validation.parquet}
---
"""
OPTIONS = ["a dog", "a cat", "a bird"]
# Reads entries from standard input; writes what came of each.
CLIENT = """
import json, sys
import stages
from stages.core.stage.settings import checked
from stages.core.questions.task import QuestionTask
from stages.questions.sources import read_source

def outcome(entry):
    try:
        found = read_source("toy", checked(QuestionTask, entry, ""))
        return {split: [[one.id, one.passage, one.options, one.answer] for one in questions]
                for split, questions in found.items()}
    except ValueError as error:
        return f"{type(error).__name__}: {error}"

print(json.dumps([outcome(entry) for entry in json.load(sys.stdin)]))
"""


def write(root: Path) -> None:
    """One data set with the right option, always the second, told in all ways."""
    folder = root / "datasets" / "org" / "reading"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(CARD)
    for split, size in (("train", 5), ("validation", 3)):
        rows = [
            {
                "article": f"{split} {number}",
                "turns": [f"{split}", f"{number}"],
                "question": "which ?",
                "options": OPTIONS,
                "first": OPTIONS[0],
                "second": OPTIONS[1],
                "place": 1,
                "letter": "B",
                "text": OPTIONS[1],
                "class": 0,
                "digits": "1",
                "sometimes": "B" if number else "?",
            }
            for number in range(size)
        ]
        names = {name: Value("string") for name in rows[0]}
        special = {
            "turns": List(Value("string")),
            "options": List(Value("string")),
            "place": Value("int64"),
            "class": ClassLabel(names=["B", "A", "C"]),  # the order of the names is not theirs
        }
        table = Dataset.from_list(rows, Features(names | special))
        table.to_parquet(folder / f"{split}.parquet")


def task(path: str = "org/reading", data: dict[str, Any] | None = None, **columns: Any) -> Any:
    splits = {"train": "train", "validation": "validation"}
    named = {"passage": "article", "question": "question", "options": "options", "answer": "place"}
    own = {"source": "hub", "path": path, "splits": splits, "columns": named | columns}
    return {"data": own | (data or {}), "kind": "choice", "max_length": 64}


def test_questions_of_the_hub(tmp_path: Path) -> None:
    write(tmp_path)
    skip = {"bad_rows": "skip"}
    entries = [
        task(),
        *(task(answer=name) for name in ("letter", "text", "class")),
        task(passage="turns"),
        task(options=["first", "second"], answer="text"),
        task(data={"train": 2, "seed": 4, "revision": COMMIT}),
        task(answer="sometimes", data=skip),
        task(answer="sometimes"),
        task(answer="digits"),
        task(passage="story"),
        task(path="org/nothing"),
        task(data={"splits": {"train": "train", "validation": "test"}}),
    ]
    with serving(tmp_path) as endpoint:
        settings = {
            "HF_ENDPOINT": endpoint,
            "HF_HOME": str(tmp_path / "home"),
            "HF_HUB_DISABLE_XET": "1",
        }
        process = subprocess.run(
            [sys.executable, "-c", CLIENT],
            input=json.dumps(entries),
            env=os.environ | settings,
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
    assert process.returncode == 0, process.stderr
    whole, *same, turns, columns, drawn, skipped = (
        answers := json.loads(process.stdout.splitlines()[-1])
    )[:8]
    assert whole["validation"] == [
        [f"validation-{n}", f"validation {n}", OPTIONS, 1] for n in range(3)
    ]
    assert len(whole["train"]) == 5
    assert all(other == whole for other in same)
    assert turns == whole
    assert columns["train"][0] == ["train-0", "train 0", OPTIONS[:2], 1]
    assert len(drawn["train"]) == 2 and all(one in whole["train"] for one in drawn["train"])
    assert skipped == {split: rows[1:] for split, rows in whole.items()}
    for answer, words in zip(
        answers[8:],
        [
            "org/reading train: rows that are no questions (1):\n  row 0: `sometimes` has '?'",
            "row 0: `digits` is '1', none of the options",
            "`tasks.toy.data.columns.passage` has 'story', which org/reading (train) has not",
            "mend `path` or `revision`",
            "mend `name` or `splits`",
        ],
        strict=True,
    ):
        assert words in answer
