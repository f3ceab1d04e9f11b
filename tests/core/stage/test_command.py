"""What ends a command is said in one line, and a full disk by its name."""

import errno
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from stages.core.stage.command import stage_command
from stages.core.stage.disk import disk_of, is_full
from stages.core.stage.files import InputError, atomic
from stages.core.stage.targets import require_disk

NUMPY = "1000000 requested and 25584 written"
# Each as its library words it on a full disk.
FULL = {
    "numpy": OSError(NUMPY),
    "python": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "quota": OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
    "safetensors": Exception("I/O error: No space left on device (os error 28)"),
    "torch": RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 576 vs 534"),
}


def refusal(error: BaseException, monkeypatch, capsys, target: Path | None = None) -> str:
    """What a command says in the end that meets an error, as it writes a file."""

    def main() -> None:
        if target is None:
            raise error
        with atomic(target) as partial:
            partial.write_text("half")
            raise error

    monkeypatch.setattr(sys, "argv", ["command"])
    with pytest.raises(SystemExit) as ended:
        stage_command(main)
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize("error", FULL.values(), ids=FULL)
def test_a_full_disk_is_named_with_the_file(error, monkeypatch, capsys, tmp_path):
    target = tmp_path / "deep" / "values.npy"
    line = refusal(error, monkeypatch, capsys, target)
    assert line.startswith(f"error: {target}: no room is left on the disk at /")
    assert line.endswith("GB free); free some and run the stage again: what is finished stays")
    assert list(target.parent.iterdir()) == []


def test_where_nobody_knows_the_fuller_disk_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    free = {".": 5, "/elsewhere": 3}
    monkeypatch.setattr("stages.core.stage.disk.room", lambda path: free.get(str(path), 0))
    monkeypatch.setattr(tempfile, "tempdir", "/elsewhere")
    line = refusal(OSError(NUMPY), monkeypatch, capsys)
    assert "no room is left on the disk at / (0.0 GB free)" in line


def test_what_led_to_an_error_counts_and_other_errors_do_not():
    try:
        try:
            raise FULL["safetensors"]
        except Exception as error:
            raise RuntimeError("a worker failed") from error
    except RuntimeError as error:
        assert is_full(error)
    assert not is_full(OSError(errno.ENOENT, "no such file", "a"))
    assert not is_full(ValueError("requested and written"))


def test_numpy_says_it_as_expected():
    """On `/dev/full`, which has no room ever."""
    with pytest.raises(OSError) as full, open("/dev/full", "wb") as stream:
        np.save(stream, np.zeros(10))
    assert is_full(full.value)


def test_a_failed_process_and_a_missing_file_are_said_in_one_line(monkeypatch, capsys):
    ended = ChildProcessError("torchrun ended with status 1")
    line = refusal(ended, monkeypatch, capsys)
    assert line == "error: torchrun ended with status 1; what it said stands above"
    missing = FileNotFoundError(errno.ENOENT, "No such file or directory", "a.parquet")
    line = refusal(missing, monkeypatch, capsys)
    assert line.startswith("error: a.parquet: No such file or directory; mend that and run")


@pytest.mark.parametrize("error", [ValueError("a fault"), OSError("of a network")])
def test_a_fault_of_the_code_keeps_its_traceback(error, monkeypatch):
    def main() -> None:
        raise error

    monkeypatch.setattr(sys, "argv", ["command"])
    with pytest.raises(type(error)):
        stage_command(main)


def test_what_will_not_fit_is_refused_before(tmp_path):
    require_disk(tmp_path / "new" / "maps", 1, "its maps")
    with pytest.raises(InputError, match=r"its maps take 1000000000.0 GB, more than the disk at /"):
        require_disk(tmp_path / "new" / "maps", 10**18, "its maps")
    assert disk_of(tmp_path / "new").startswith("the disk at /")
