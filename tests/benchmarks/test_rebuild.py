"""Where a profiled `dvc repro` puts the time of a stage: DVC, Python's start, compute."""

import os
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import rebuild
from stages.core.stage.files import InputError

PIPELINE = """\
stages:
  sleeps:
    cmd: python sleeps.py
    deps: [sleeps.py]
    outs: [slept.txt]
  burns:
    cmd: python burns.py
    deps: [burns.py, slept.txt]
    outs: [burnt.txt]
"""
SLEEPS = """\
import time
import slow  # 0.4 s
def main():
    import slow_too  # 0.3 s
    time.sleep(0.5)
    open("slept.txt", "w").write("slept")
main()
"""
# One second of processor time, of which half is a child's.
BURNS = """\
import os, subprocess, sys, time
def burn():
    while time.process_time() < 0.5:
        pass
if len(sys.argv) > 1:
    kept = bytearray(300_000_000)
    kept[::1024] = bytes(len(kept[::1024]))
    burn()
else:
    burn()
    if os.path.exists("fails"):
        sys.exit(3)
    subprocess.run([sys.executable, "burns.py", "child"], check=True)
    if (child := os.fork()) == 0:
        kept = bytearray(500_000_000)
        kept[::1024] = bytes(len(kept[::1024]))
        os._exit(0)
    os.waitpid(child, 0)
    open("burnt.txt", "w").write("burnt")
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A repository of two stages, of which the second failed once before it was built."""
    folder = tmp_path_factory.mktemp("clone")
    files = {
        "dvc.yaml": PIPELINE,
        "sleeps.py": SLEEPS,
        "burns.py": BURNS,
        "slow.py": "import time; time.sleep(0.4)",
        "slow_too.py": "import time; time.sleep(0.3)",
        "fails": "",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    environment = dict(os.environ) | {"DVC_SITE_CACHE_DIR": str(folder / "site")}
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    subprocess.run(["python", "-m", "dvc", "init", "-q"], cwd=folder, check=True)
    with pytest.raises(InputError, match="ended with status"):
        rebuild.run(folder, Path("."), [], environment)
    (folder / "fails").unlink()
    rebuild.run(folder, Path("."), [], environment)
    rebuild.run(folder, Path("."), [], environment)
    return folder


@pytest.fixture(scope="module")
def table(clone):
    return rebuild.table(clone / rebuild.RECORD / "default").set_index("stage")


def test_sleep_is_compute_and_imports_are_not_wherever_they_stand(table):
    sleeps = table.loc["sleeps"]
    assert 0.5 <= sleeps["compute"] < 0.65
    assert sleeps["python"] >= 0.7
    assert sleeps["cpu"] < sleeps["seconds"] - 1.2
    assert sleeps["runs"] == 1


def test_a_stage_that_failed_and_was_run_again_has_the_time_of_both_runs(table):
    burns = table.loc["burns"]
    assert burns["runs"] == 2
    assert burns["compute"] >= 1.5
    assert 1.5 <= burns["cpu"] < 2.5


def test_memory_of_processes_at_the_same_time_adds_up(table):
    assert 500 < table.loc["burns", "megabytes"] < 600  # not with the 300 of another time
    assert table.loc["sleeps", "megabytes"] < 50


def test_parts_add_up_to_what_dvc_took(clone, table):
    repros = rebuild.read(clone / rebuild.RECORD / "default", "repros")
    taken = repros["end"] - repros["begin"]
    assert repros["status"].tolist() == [255, 0, 0]
    stages = table.drop([rebuild.ALL, rebuild.NOTHING])
    assert stages["seconds"].sum() == pytest.approx(taken[:2].sum(), abs=1e-6)
    assert table.loc[rebuild.ALL, "seconds"] == pytest.approx(taken[:2].sum(), abs=1e-6)
    assert table.loc[rebuild.NOTHING, "seconds"] == pytest.approx(taken[2])
    pd.testing.assert_series_equal(
        stages[rebuild.PARTS].sum(axis=1), stages["seconds"], check_names=False
    )
    assert (stages["dvc"] > 0).all()


def test_a_shell_that_was_killed_ends_with_the_next_event(tmp_path, clone):
    kept = clone / rebuild.RECORD / "default"
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    lines = (tmp_path / "commands.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) == 6  # begin and end of three
    (tmp_path / "commands.jsonl").write_text("".join([*lines[:1], *lines[2:], '{"stage": "sl']))
    whole, killed = (rebuild.table(folder).set_index("stage") for folder in (kept, tmp_path))
    assert killed.loc["sleeps", "dvc"] == 0
    assert killed.loc[rebuild.ALL, "seconds"] == pytest.approx(whole.loc[rebuild.ALL, "seconds"])


def test_a_folder_that_is_not_empty_is_no_place_for_a_clone(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is there already"):
        rebuild.clone(tmp_path)
