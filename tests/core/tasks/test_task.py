"""Entries of `tasks`: what is accepted, and what is refused with which words."""

from pathlib import Path

import pytest

from stages.core.stage.files import InputError
from stages.core.tasks.task import HubData, WrittenData, load_task, seeds_of

WRITTEN = "{source: written, train: 20, validation: 10, seed: 1}"


def entry(tmp_path: Path, text: str, name: str = "own") -> Path:
    path = tmp_path / "params.yaml"
    path.write_text(f"tasks:\n  {name}: {text}\n")
    return path


def test_written_classification_with_a_count_of_labels(tmp_path: Path) -> None:
    file = entry(
        tmp_path,
        f"{{data: {WRITTEN}, kind: classification, labels: 5, metrics: [accuracy, macro_f1], "
        "finetune: {learning_rate: 1e-05, epochs: 2}}",
    )
    task = load_task("own", file)
    assert isinstance(task.data, WrittenData)
    assert task.outputs == 5
    assert task.label_names == ["0", "1", "2", "3", "4"]
    assert task.finetune == {"learning_rate": 1e-5, "epochs": 2}
    assert task.max_length == 128


def test_hub_regression(tmp_path: Path) -> None:
    file = entry(
        tmp_path,
        "{data: {source: hub, path: a/b, name: c, splits: {train: train, validation: dev}, "
        "columns: {text_a: x, text_b: y, label: z}}, kind: regression, metrics: [pearson]}",
    )
    task = load_task("own", file)
    assert isinstance(task.data, HubData)
    assert (task.data.train, task.data.seed, task.data.bad_rows) == (None, 0, "stop")
    assert task.outputs == 1
    assert task.label_names == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kind: classification, labels: 2, metrics: [accurracy]", "unknown metrics"),
        ("kind: classification, labels: 2, metrics: []", "metrics"),
        ("kind: classification, metrics: [accuracy]", "needs `labels`"),
        ("kind: classification, labels: 1, metrics: [accuracy]", "two or more classes"),
        ("kind: classification, labels: [a, a], metrics: [accuracy]", "twice"),
        ("kind: classification, labels: [1, 1.0], metrics: [accuracy]", "twice"),
        ("kind: classification, labels: [a, ' a'], metrics: [accuracy]", "twice"),
        ("kind: classification, labels: [a, null], metrics: [accuracy]", "None names no class"),
        ("kind: classification, labels: [a, .nan], metrics: [accuracy]", "nan names no class"),
        ("kind: classification, labels: 3, metrics: [f1]", r"\['f1'\] do not fit"),
        ("kind: classification, labels: 2, metrics: [pearson]", "do not fit"),
        ("kind: regression, labels: 2, metrics: [pearson]", "has no `labels`"),
        ("kind: regression, metrics: [accuracy]", "do not fit"),
        ("kind: regression, metrics: [pearson], lenght: 3", "unknown key"),
    ],
)
def test_entries_that_do_not_fit_together(tmp_path: Path, text: str, complaint: str) -> None:
    file = entry(tmp_path, f"{{data: {WRITTEN}, {text}}}")
    with pytest.raises(InputError, match=complaint) as refusal:
        load_task("own", file)
    assert "tasks.own" in str(refusal.value)
    assert "params.yaml" in str(refusal.value)


def test_messages_name_the_keys_as_they_stand_in_the_file(tmp_path: Path) -> None:
    """Not the types that pydantic tried on the way."""
    data = (
        "{source: hub, path: a/b, splits: {train: t, validation: v}, columns: {text: x, label: y}}"
    )
    file = entry(
        tmp_path, f"{{data: {data}, kind: classification, labels: 2, metrics: [accuracy]}}"
    )
    with pytest.raises(InputError) as refusal:
        load_task("own", file)
    assert "key `data.columns.text`: unknown key" in str(refusal.value)
    assert "key `data.columns.text_a`: this key is missing" in str(refusal.value)
    assert "hub." not in str(refusal.value)


def test_numbers_are_names_of_classes_too(tmp_path: Path) -> None:
    text = f"{{data: {WRITTEN}, kind: classification, labels: [0, 4], metrics: [accuracy]}}"
    assert load_task("own", entry(tmp_path, text)).label_names == ["0", "4"]


def test_a_source_that_there_is_not(tmp_path: Path) -> None:
    file = entry(tmp_path, "{data: {source: web}, kind: regression, metrics: [pearson]}")
    with pytest.raises(InputError, match="written"):
        load_task("own", file)


def test_a_task_that_is_not_in_the_file(tmp_path: Path) -> None:
    file = entry(tmp_path, f"{{data: {WRITTEN}, kind: regression, metrics: [pearson]}}")
    with pytest.raises(InputError, match="tasks has own"):
        load_task("other", file)


def test_a_name_that_would_confuse_file_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="letters, digits and _"):
        load_task("a-b", tmp_path / "params.yaml")


SEEDED = f"{{data: {WRITTEN}, kind: classification, labels: 2, metrics: [accuracy]"


def test_seeds_of_a_task_stand_in_place_of_the_common_ones(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text(
        f"run: {{seeds: [3, 1]}}\ntasks:\n  one: {SEEDED}}}\n  two: {SEEDED}, seeds: [5, 4]}}\n"
    )
    assert seeds_of("one", file=file) == [3, 1]
    assert seeds_of("two", file=file) == [5, 4]
    assert seeds_of("two", 4, file=file) == [4]
    with pytest.raises(InputError, match=r"`tasks\.two\.seeds` has no 3, only \[5, 4\]; add it"):
        seeds_of("two", 3, file=file)


@pytest.mark.parametrize(
    ("seeds", "words"),
    [("[]", "at least 1 item"), ("[1, 1]", "stands there twice"), ("[-1]", "greater than or")],
)
def test_seeds_that_are_none_are_refused(tmp_path: Path, seeds: str, words: str) -> None:
    file = tmp_path / "params.yaml"
    file.write_text(f"run: {{seeds: {seeds}}}\ntasks:\n  one: {SEEDED}}}\n")
    with pytest.raises(InputError, match=rf"run\.seeds`.*{words}"):
        seeds_of("one", file=file)
    file.write_text(f"run: {{seeds: [0]}}\ntasks:\n  one: {SEEDED}, seeds: {seeds}}}\n")
    with pytest.raises(InputError, match=rf"tasks\.one.*seeds.*{words}"):
        seeds_of("one", file=file)


@pytest.mark.parametrize("labels", [1_000_000_000, 100_001])
def test_more_classes_than_a_checkpoint_may_have(tmp_path: Path, labels: int) -> None:
    text = f"{{data: {WRITTEN}, kind: classification, labels: {labels}, metrics: [accuracy]}}"
    with pytest.raises(InputError, match=f"{labels} classes; the most are 100000"):
        load_task("own", entry(tmp_path, text))
