"""The stage as it is run: written questions and files of each layout, what is drawn and refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from ruamel.yaml import YAML

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.known_tokens import known_tokens
from stages.core.questions.places import questions_file
from stages.core.questions.question import Question, read_questions
from stages.core.questions.tables import QUESTION_SIZES
from stages.core.stage.files import InputError
from stages.questions.sources import SPLITS
from stages.questions.stage import run_stage

REPOSITORY = Path(__file__).parents[2]
PASSAGE = "the dog sees a cat . a child finds the book ."
OPTIONS = ["the dog", "a cat", "the old book"]
ROW = {"passage": PASSAGE, "question": "who sees ?", "options": OPTIONS, "answer": 0}


def own(path: Path, prefix: str) -> None:
    rows = [ROW | {"passage": f"{PASSAGE} {prefix} {number}"} for number in range(6)]
    path.write_text("\n".join(map(json.dumps, rows)))


def dream(path: Path, prefix: str) -> None:
    asked = {"question": "who sees ?", "choice": OPTIONS, "answer": "the dog"}
    rows = [[[PASSAGE, f"{prefix} {number}"], [asked, asked], f"d-{number}"] for number in range(3)]
    path.write_text(json.dumps(rows))


def race(path: Path, prefix: str) -> None:
    path.mkdir()
    for number in range(3):
        one = {
            "article": f"{PASSAGE} {prefix} {number}",
            "questions": ["who sees ?", "_ sees ."],
            "options": [OPTIONS, OPTIONS],
            "answers": ["A", "A"],
        }
        (path / f"{number}.txt").write_text(json.dumps(one))


LAYOUTS = {"questions": (own, ".jsonl"), "dream": (dream, ".json"), "race": (race, "")}
Prepare = Callable[..., dict[str, list[Question]]]


@pytest.fixture
def prepare(tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> Prepare:
    """Run the stage on data of some source, in a folder of its own; the questions it wrote."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(REPOSITORY / "data")

    def run(max_length: int = 60, warned: float = 0.9, **data) -> dict[str, list[Question]]:
        task = {"data": data, "kind": "choice", "metrics": ["accuracy"], "max_length": max_length}
        settings = {
            "checkpoint": {"source": "folder", "path": str(tiny_bert)},
            "unknown_tokens": {"warned": warned, "refused": 0.95},
            "tasks": {"toy": task},
        }
        YAML().dump(settings, Path("params.yaml"))
        run_stage("toy")
        return {split: read_questions(questions_file("toy", split)) for split in SPLITS}

    return run


def sizes() -> pd.DataFrame:
    return pd.read_parquet(QUESTION_SIZES.path("toy")).drop(columns="data")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(prepare: Prepare, layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    write, suffix = LAYOUTS[layout]
    splits = {split: f"{split}{suffix}" for split in ("train", "validation")}
    for split, path in splits.items():
        write(Path(path), split)
    found = prepare(source="files", layout=layout, splits=splits, train=4, seed=1)
    assert {split: len(questions) for split, questions in found.items()} == {
        "train": 4,
        "validation": 6,
    }
    for questions in found.values():
        assert {one.right for one in questions} == {"the dog"}
        assert {one.options for one in questions} == {tuple(OPTIONS)}
    said = capsys.readouterr()
    assert said.out.split()[:9] == ["split", *QUESTION_SIZES.values]
    assert "warning" not in said.err
    table = sizes().set_index("split")
    assert table["examples"].to_dict() == {"train": 4, "validation": 6}
    assert table.loc["validation", "passages"] == (6 if layout == "questions" else 3)
    assert (table[["fewest_options", "most_options"]] == 3).all(axis=None)
    assert (table[["unknown", "cut", "in_both"]] == 0).all(axis=None)
    again = prepare(source="files", layout=layout, splits=splits, train=4, seed=1)
    assert again == found
    other = prepare(source="files", layout=layout, splits=splits, train=4, seed=2)
    assert other["train"] != found["train"] and other["validation"] == found["validation"]


def test_written_questions(prepare: Prepare) -> None:
    found = prepare(source="written", train=12, validation=12, seed=3, max_length=120)
    assert [len(found[split]) for split in ("train", "validation")] == [12, 12]
    assert sizes()[["fewest_options", "most_options"]].values.tolist() == [[3, 4]] * 2
    assert found == prepare(source="written", train=12, validation=12, seed=3, max_length=120)


def test_passages_are_counted_and_those_that_are_cut(prepare: Prepare, tiny_bert: Path) -> None:
    for split in ("train", "validation"):
        own(Path(f"{split}.jsonl"), split)
    splits = {"train": "train.jsonl", "validation": "validation.jsonl"}
    prepare(source="files", layout="questions", splits=splits, max_length=20)
    table = sizes()
    assert (table["cut"] == table["examples"]).all()
    own_tokens = known_tokens(
        load_tokenizer(tiny_bert),
        [
            *(f"{PASSAGE} train {number}" for number in range(6)),
            *[f"who sees ? {option}" for option in OPTIONS] * 6,
        ],
    )
    assert table["tokens"][0] == own_tokens.tokens
    with pytest.raises(InputError, match="but `max_length` is 8; raise it"):
        prepare(source="files", layout="questions", splits=splits, max_length=8)


def test_bad_rows_and_unknown_tokens(prepare: Prepare, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [ROW, ROW | {"answer": 7}, ROW | {"passage": f"{PASSAGE} 汉字"}]
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = {"source": "files", "layout": "questions"}
    data["splits"] = dict.fromkeys(("train", "validation"), "rows.jsonl")
    with pytest.raises(InputError, match="rows.jsonl, line 2: the answer is 7") as refused:
        prepare(**data)
    assert "bad_rows: skip" in str(refused.value)
    assert not Path("work/questions").exists()
    found = prepare(**data, bad_rows="skip", warned=0.001)
    assert len(found["train"]) == 2
    said = capsys.readouterr().err
    assert "1 rows left out" in said
    assert "are unknown to the tokenizer" in said
    assert "2 of 2 validation questions are training questions, too" in said
