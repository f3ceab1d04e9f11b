"""What a run that was cut short leaves behind, and which of it is taken up again."""

from pathlib import Path

from stages.core.scratch import (
    fingerprint,
    last_state,
    mark_complete,
    open_scratch,
)


def test_fingerprints_know_settings_and_contents(tmp_path: Path) -> None:
    file = tmp_path / "train.parquet"
    file.write_bytes(b"a")
    first = fingerprint({"rate": 1, "epochs": 2}, [file])
    assert fingerprint({"epochs": 2, "rate": 1}, [file]) == first
    assert fingerprint({"rate": 1, "epochs": 3}, [file]) != first
    file.write_bytes(b"b")
    assert fingerprint({"rate": 1, "epochs": 2}, [file]) != first


def test_half_written_and_stale_states_are_not_taken(tmp_path: Path) -> None:
    scratch = tmp_path / "key" / "new"
    stale = tmp_path / "key" / "old" / "checkpoint-9"
    for state in (stale, *(scratch / f"checkpoint-{step}" for step in (5, 10, 100))):
        state.mkdir(parents=True)
    mark_complete(stale.parent, 9)
    mark_complete(scratch, 5)
    mark_complete(scratch, 10)
    assert last_state(scratch) == scratch / "checkpoint-10"
    open_scratch(scratch)
    assert sorted(path.name for path in scratch.iterdir()) == ["checkpoint-10", "checkpoint-5"]
    assert [path.name for path in scratch.parent.iterdir()] == ["new"]


def test_no_state_yet(tmp_path: Path) -> None:
    open_scratch(tmp_path / "key" / "name")
    assert last_state(tmp_path / "key" / "name") is None


def test_of_code_counts_what_runs(tmp_path: Path) -> None:
    file = tmp_path / "training.py"
    file.write_text('"""What."""\n\n\ndef f(x):\n    """Doc."""\n    return x + 1  # why\n')
    first = fingerprint({}, [file])
    file.write_text('"""Other words."""\ndef f(x):\n    # elsewhere\n    return (x\n        + 1)\n')
    assert fingerprint({}, [file]) == first
    for change in ("x + 2", "x - 1", "'x + 1'"):
        file.write_text(f'def f(x):\n    """Doc."""\n    return {change}\n')
        assert fingerprint({}, [file]) != first
