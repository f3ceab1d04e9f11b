"""What the stage writes of the project: sums that md5sum would print, of every stage."""

import hashlib
import json
from pathlib import Path

import pytest

from stages.code.stage import run_stage, sums
from tools.pipeline import ROOT


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_stage()
    return folder / "work"


def test_lines_are_sums_and_paths(written):
    lines = (written / "code/drift.txt").read_text().splitlines()
    assert len(lines) > 20
    for line in lines:
        total, path = line.split("  ")
        assert hashlib.md5((ROOT / path).read_bytes()).hexdigest() == total


def test_another_file_gives_another_line_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("stages.code.stage.ROOT", tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(name)
    files = [Path("one.py"), Path("two.py")]
    one, two = sums(files).splitlines()
    assert one == "f97c5d29941bfb1b2fdab0874906ab82  one.py"
    assert two == "b8a9f715dbb64fd5c56e7783c6820a61  two.py"
    (tmp_path / "two.py").write_text("three")
    assert sums(files).splitlines()[0] == one
    assert sums(files).splitlines()[1] != two


def test_what_is_written_a_second_time_is_the_same(written):
    before = {file: file.read_bytes() for file in written.rglob("*.*")}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(written.parent)
        run_stage()
    assert {file: file.read_bytes() for file in written.rglob("*.*")} == before


def test_the_list_names_the_stages_of_the_sums(written):
    listed = json.loads((written / "code/files.json").read_text())
    assert set(listed) == {file.stem for file in (written / "code").glob("*.txt")}
    assert "stages/drift/stage.py" in listed["drift"]
    assert "stages/finetune/readers" in listed["readers"]  # a package, run as a whole
    assert not [path for path in listed["drift"] if path.endswith(("claims.py", "page.py"))]
