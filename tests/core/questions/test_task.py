"""Entries of kind `choice`: what they say, and what is refused with which words."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from stages.core.questions.task import is_question_task, load_question_task, reader_seeds
from stages.core.stage.files import InputError

SPLITS = {"train": "a", "validation": "b"}
COLUMNS = {"passage": "article", "question": "question", "options": "options", "answer": "answer"}
DATA = {
    "written": {"source": "written", "train": 8, "validation": 4, "seed": 0},
    "files": {"source": "files", "layout": "dream", "splits": SPLITS, "train": 5},
    "hub": {"source": "hub", "path": "ehovy/race", "splits": SPLITS, "columns": COLUMNS},
}


def write(folder: Path, **changes) -> Path:
    """params.yaml with a task `reading`; a change of None leaves the key out."""
    entry = {"data": DATA["written"], "kind": "choice", "metrics": ["accuracy"], "max_length": 64}
    entry = {key: value for key, value in (entry | changes).items() if value is not None}
    other = {"data": DATA["written"], "kind": "classification", "labels": 2}
    tasks = {"reading": entry, "other": other | {"metrics": ["accuracy"]}}
    YAML().dump({"run": {"seeds": [0, 3]}, "tasks": tasks}, folder / "params.yaml")
    return folder / "params.yaml"


@pytest.mark.parametrize("source", DATA)
def test_every_source(tmp_path, source):
    task = load_question_task("reading", write(tmp_path, data=DATA[source]))
    assert task.data.source == source
    assert task.metrics == ["accuracy"]
    if source != "written":
        assert (task.data.bad_rows, task.data.seed, task.data.validation) == ("stop", 0, None)


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"max_length": None}, "key `max_length`: this key is missing; add it"),
        ({"metrics": ["f1"]}, "key `metrics.0`: Input should be 'accuracy'"),
        ({"labels": 3}, "key `labels`: unknown key; remove it or mend its spelling"),
        ({"seeds": [1, 1]}, "key `seeds`: a seed stands there twice"),
        ({"data": DATA["written"] | {"size": 2}}, "key `data.size`: unknown key"),
        ({"data": DATA["files"] | {"layout": "squad"}}, "key `data.layout`: Input should be"),
        ({"data": DATA["files"] | {"splits": {"train": "a"}}}, "key `data.splits.validation`: "),
        ({"data": DATA["hub"] | {"columns": {"passage": "a"}}}, "key `data.columns.answer`: this"),
        (
            {"data": DATA["hub"] | {"columns": COLUMNS | {"options": ["one"]}}},
            "at least 2 items",
        ),
        ({"data": DATA["files"] | {"bad_rows": "mend"}}, "key `data.bad_rows`: Input should be"),
    ],
)
def test_refusals_name_the_key(tmp_path, changes, words):
    file = write(tmp_path, **changes)
    with pytest.raises(InputError) as refused:
        load_question_task("reading", file)
    assert f"{file}: `tasks.reading`, key `" in str(refused.value)
    assert words in str(refused.value)


def test_a_task_of_another_kind_is_told_who_takes_it(tmp_path):
    file = write(tmp_path)
    with pytest.raises(InputError) as refused:
        load_question_task("other", file)
    for words in ("`tasks.other.kind` is 'classification'", "`run.tasks`", "`readers.tasks`"):
        assert words in str(refused.value)
    assert is_question_task("reading", file)
    assert not is_question_task("other", file)


def test_a_task_that_is_not_there_or_has_no_name_of_a_file(tmp_path):
    file = write(tmp_path)
    with pytest.raises(InputError, match="`tasks.dream` is missing: tasks has reading, other"):
        load_question_task("dream", file)
    with pytest.raises(InputError, match="letters, digits and _ only"):
        load_question_task("a/b", file)


def test_seeds_are_the_tasks_own_or_those_of_all(tmp_path):
    assert reader_seeds("reading", file=write(tmp_path)) == [0, 3]
    file = write(tmp_path, seeds=[5, 6])
    assert reader_seeds("reading", file=file) == [5, 6]
    assert reader_seeds("reading", 6, file) == [6]
    with pytest.raises(InputError, match=r"`tasks\.reading\.seeds` has no 7, only \[5, 6\]"):
        reader_seeds("reading", 7, file)
