"""The fingerprint changes with what goes into a report, and with nothing else."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from stages.report.fingerprint import fingerprint


def lock() -> dict:
    code = {"path": "work/code/drift.txt", "md5": "a" * 32}
    read = {"path": "work/models", "md5": "b" * 32}
    out = {"path": "work/measures/drift", "md5": "c" * 32}
    params = {"params.yaml": {"drift": {"batch": 8}}}
    stage = {"cmd": "python -m stages drift", "deps": [code, read], "params": params, "outs": [out]}
    drawn = {"cmd": "python -m stages report", "deps": [{"path": "data", "md5": "d" * 32}]}
    summed = {"cmd": "python -m stages code", "deps": [{"path": "stages", "md5": "f" * 32}]}
    return {"schema": "2.0", "stages": {"code": summed, "drift": stage, "report": drawn}}


def of(content: dict, folder: Path) -> str | None:
    with (folder / "dvc.lock").open("w", encoding="utf-8") as file:
        YAML().dump(content, file)
    return fingerprint(folder / "dvc.lock")


def changed(*path: str | int, to: object) -> dict:
    content = lock()
    place = content["stages"]
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = to
    return content


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("drift", "cmd"), "python -m stages drift --more"),
        (("drift", "deps", 0, "md5"), "e" * 32),
        (("drift", "params", "params.yaml", "drift", "batch"), 9),
        (("ablate",), {"cmd": "python -m stages ablate"}),
    ],
)
def test_code_settings_and_commands_change_it(path, to, tmp_path):
    assert of(changed(*path, to=to), tmp_path) != of(lock(), tmp_path)


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("drift", "deps", 1, "md5"), "e" * 32),
        (("drift", "outs", 0, "md5"), "e" * 32),
        (("report", "deps", 0, "md5"), "e" * 32),
        (("code", "deps", 0, "md5"), "e" * 32),
    ],
)
def test_what_stages_wrote_and_the_entries_of_report_and_all_code_do_not(path, to, tmp_path):
    assert of(changed(*path, to=to), tmp_path) == of(lock(), tmp_path)


def test_without_a_lock_there_is_none(tmp_path):
    assert fingerprint(tmp_path / "dvc.lock") is None
