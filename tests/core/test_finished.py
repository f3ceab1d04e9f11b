"""Results that are kept for another run of a stage, and those that are not."""

from pathlib import Path

import pytest

from stages.core.finished import (
    FOLDER,
    finishing,
    forget_others,
    is_finished,
    publish,
    result,
    run_folder,
)
from stages.core.runtime.runtime import Runtime
from stages.core.scratch import open_scratch

CPU = Runtime(device="cpu")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with a state and a result."""
    folder = tmp_path / "runs" / "key" / "name"
    open_scratch(folder)
    (folder / "checkpoint-3").mkdir()
    with finishing(folder) as partial:
        (partial / "model").mkdir()
        (partial / "model" / "weights").write_bytes(b"weights")
        assert not is_finished(folder)
    return folder


def test_a_result_takes_the_place_of_the_states(run: Path) -> None:
    assert is_finished(run)
    assert sorted(path.name for path in run.iterdir()) == [FOLDER, f"{FOLDER}.json"]


def test_published_files_are_links_to_the_same_bytes(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    (target / "old").mkdir(parents=True)
    publish(result(run, "model"), target)
    assert [path.name for path in target.iterdir()] == ["weights"]
    assert (target / "weights").samefile(result(run, "model", "weights"))
    (target / "weights").write_bytes(b"changed")
    assert not is_finished(run)


@pytest.mark.parametrize("name", ["model/weights", "../finished.json"])
def test_a_result_that_lost_a_file_is_none(run: Path, name: str) -> None:
    result(run, *name.split("/")).unlink()
    assert not is_finished(run)


def test_an_end_that_fails_leaves_no_result(run: Path) -> None:
    with pytest.raises(RuntimeError), finishing(run):
        raise RuntimeError
    assert not is_finished(run)


def test_a_run_is_named_by_settings_and_contents(tmp_path: Path) -> None:
    file = tmp_path / "examples"
    file.write_bytes(b"a")
    names = {run_folder(tmp_path, {"rate": rate}, [file], CPU) for rate in (1, 2, 2)}
    file.write_bytes(b"b")
    names.add(run_folder(tmp_path, {"rate": 1}, [file], CPU))
    assert len(names) == 3


def test_runs_that_are_not_made_any_more_are_forgotten(tmp_path: Path) -> None:
    for name in ("tuned-0", "tuned-1", "untuned-0"):
        (tmp_path / name).mkdir()
    forget_others(tmp_path, ["tuned-1", "tuned-2"])
    assert [path.name for path in tmp_path.iterdir()] == ["tuned-1"]
