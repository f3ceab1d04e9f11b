"""Which GPUs runs have; jobs in processes of their own: how many at a time, and what they say."""

import os
import time
from pathlib import Path

import pytest
import torch

from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError
from stages.finetune import processes
from stages.finetune.processes import Report, alone, places, require_own_gpus, side_by_side


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with two."""
    monkeypatch.setattr(processes, "find_device", lambda name: torch.device(name))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_runs_side_by_side_have_a_gpu_each(two_gpus: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places(Runtime(device="cuda", threads=16)) == ["0", "1"]
    assert places(Runtime(device="cuda:1")) == ["1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    assert places(Runtime(device="cuda")) == ["4", "7"]
    assert places(Runtime(device="cuda:1")) == ["7"]
    # Each sees but its own, which is the first that it sees.
    assert alone(Runtime(device="cuda:1", threads=2)).device == "cuda"


def test_on_a_processor_as_many_as_threads() -> None:
    assert places(Runtime(device="cpu", threads=3)) == [None, None, None]
    found = alone(Runtime(device="cpu", threads=3, processes=2))
    assert (found.device, found.threads, found.processes) == ("cpu", 1, 1)


def test_one_gpu_for_several_processes_is_refused() -> None:
    require_own_gpus(Runtime(device="cuda", processes=2))
    with pytest.raises(InputError, match="one GPU for 2 processes"):
        require_own_gpus(Runtime(device="cuda:0", processes=2))


def show_place(job: Path, report: Report) -> None:
    """Say where this runs; end when another job has begun."""
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES")
    report(f"{job.name} {gpu} {torch.get_num_threads()}")
    job.touch()
    end = time.monotonic() + 60
    while len(list(job.parent.iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    report(len(list(job.parent.iterdir())))


def test_jobs_run_at_the_same_time_each_in_its_place(tmp_path: Path) -> None:
    said: list[str | int] = []
    jobs = [tmp_path / "a", tmp_path / "b"]
    assert set(side_by_side(show_place, jobs, ["5", "7"], said.append)) == set(jobs)
    assert {"a 5 1", "b 7 1"} < set(said)
    assert said.count(2) == 2


def append(job: tuple[Path, str], report: Report) -> None:
    """Write a letter twice, with a pause."""
    file, letter = job
    for _ in range(2):
        with file.open("a") as stream:
            stream.write(letter)
        time.sleep(0.05)


def test_where_there_is_one_place_jobs_wait_for_each_other(tmp_path: Path) -> None:
    jobs = [(tmp_path / "text", letter) for letter in "abc"]
    done = list(side_by_side(append, jobs, [None], print))
    assert [letter for _, letter in done] == ["a", "b", "c"]
    assert (tmp_path / "text").read_text() == "aabbcc"


def gather(job: tuple[Path, int], report: Report) -> None:
    """Wait until as many jobs as are named have begun, at most a minute."""
    file, together = job
    file.touch()
    end = time.monotonic() + 60
    while len(list(file.parent.iterdir())) < together and time.monotonic() < end:
        time.sleep(0.01)
    report(len(list(file.parent.iterdir())))
    time.sleep(0.3)


def test_a_last_round_that_is_not_full_shares_the_processors(tmp_path: Path) -> None:
    said: list[str | int] = []
    assert (
        len(list(side_by_side(gather, [(tmp_path / n, 3) for n in "abc"], [None] * 2, said.append)))
        == 3
    )
    assert said == [3, 3, 3]


def test_a_last_round_that_is_nearly_full_waits_for_its_places(tmp_path: Path) -> None:
    said: list[str | int] = []
    jobs = [(tmp_path / name, 3) for name in "abcde"]
    for _ in side_by_side(gather, jobs, [None] * 3, said.append):
        if len(said) == 3:
            assert said == [3, 3, 3]  # and not five at a time
    assert len(said) == 5


def test_gpus_are_not_shared(tmp_path: Path) -> None:
    said: list[str | int] = []
    jobs = [tmp_path / name for name in "abc"]
    assert len(list(side_by_side(show_place, jobs, ["5", "7"], said.append))) == 3
    words = [one for one in said if isinstance(one, str)]
    assert sorted(one.split()[0] for one in words) == ["a", "b", "c"]
    assert {one.split()[1] for one in words} == {"5", "7"}


def fail(job: str, report: Report) -> None:
    """End in the way that the job names."""
    if job == "input":
        raise InputError("the key is wrong")
    if job == "killed":
        os.kill(os.getpid(), 9)
    if job == "error":
        raise RuntimeError("out of memory")
    if job == "disk":
        raise OSError("9000 requested and 200 written")  # as numpy says it
    time.sleep(600)


@pytest.mark.parametrize(
    ("job", "error", "words"),
    [
        ("input", InputError, "the key is wrong"),
        ("killed", ChildProcessError, "killed ended with status -9"),
        ("disk", OSError, "No space left on device"),
        ("error", ChildProcessError, "error ended with status 1"),
    ],
)
def test_a_job_that_fails_ends_the_others(job: str, error: type, words: str) -> None:
    began = time.monotonic()
    with pytest.raises(error, match=words):
        list(side_by_side(fail, [job, "sleep"], [None, None], print))
    assert time.monotonic() - began < 120
