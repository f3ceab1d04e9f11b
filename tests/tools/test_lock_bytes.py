"""Outputs, and DVC's copies of them, are held against the lock byte by byte."""

import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tools import lock_bytes
from tools.lock_bytes import DVC, bytes_complaints


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, dict, Path]:
    """A project with a file and a folder in DVC's cache; its lock, and the cache."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "work/b/c").mkdir(parents=True)
    (folder / "work/a.txt").write_text("one")
    (folder / "work/b/c/two.txt").write_text("two")
    (folder / "work/b/cache-1.arrow").write_text("left out")
    (folder / ".dvcignore").write_text("cache-*.arrow\n")
    subprocess.run([*DVC, "init", "-q", "--no-scm"], cwd=folder, check=True)
    subprocess.run([*DVC, "add", "-q", "work/a.txt", "work/b"], cwd=folder, check=True)
    lock = {name: YAML(typ="safe").load(folder / "work" / f"{name}.dvc") for name in ("a.txt", "b")}
    for stage in lock.values():
        stage["outs"][0]["path"] = f"work/{stage['outs'][0]['path']}"
    return folder, lock, lock_bytes.cache_of(folder)


def test_what_nobody_touched_is_what_the_lock_says(built):
    folder, lock, _ = built
    assert bytes_complaints(folder, lock) == []


@pytest.mark.parametrize(("path", "out"), [("a.txt", "work/a.txt"), ("b/c/two.txt", "work/b")])
def test_an_altered_output_is_named(built, path, out):
    folder, lock, _ = built
    file = folder / "work" / path
    text = file.read_text()
    file.write_text("0ne")
    (found,) = bytes_complaints(folder, lock)
    assert found == f"{out} is not what dvc.lock says; remove it and run dvc repro"
    file.write_text(text)


@pytest.mark.parametrize(
    ("md5", "out"),
    [
        ("f97c5d29941bfb1b2fdab0874906ab82", "work/a.txt"),  # of "one"
        ("b8a9f715dbb64fd5c56e7783c6820a61", "work/b"),  # of "two"
    ],
)
def test_a_byte_that_changed_in_the_cache_is_named(built, md5, out):
    folder, lock, cache = built
    file = cache / md5[:2] / md5[2:]
    text = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(b"0" + text[1:])
    (found,) = bytes_complaints(folder, lock)
    assert str(file) in found and f"of {out}, has other bytes" in found
    file.write_bytes(text)


def test_what_is_not_here_is_passed_over(built):
    _, lock, _ = built
    elsewhere = {"a": {"outs": [{"path": "work/none", "md5": "0" * 32}]}, "b": {}}
    assert bytes_complaints(built[0], elsewhere) == []
    lists = [out["md5"] for stage in lock.values() for out in stage["outs"]]
    assert lists[1].endswith(".dir")
