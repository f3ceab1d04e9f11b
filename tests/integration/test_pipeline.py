"""Real DVC on a tiny configuration: one task, a tiny encoder, few examples, every stage."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.integration.tiny import SETTINGS, merge, run
from tests.lock import DVC, complaints


@pytest.fixture(scope="module")
def rebuilt(module_copy: Path, tiny_checkpoints: dict[str, Path]) -> Path:
    """The project after `dvc repro` on the tiny configuration."""
    yaml = YAML()
    parameters = yaml.load(module_copy / "params.yaml")
    merge(parameters, SETTINGS)
    merge(parameters, {"run": {"tasks": ["relevance"]}})
    sizes = {"data": {"train": 64, "validation": 24}, "max_length": 64}
    merge(parameters, {"tasks": {"relevance": sizes}})
    parameters["checkpoint"] = {"source": "folder", "path": str(tiny_checkpoints["bert"])}
    yaml.dump(parameters, module_copy / "params.yaml")
    (module_copy / "dvc.lock").unlink(missing_ok=True)
    shutil.rmtree(module_copy / "reports", ignore_errors=True)
    run(module_copy, *DVC, "repro", "-q")
    return module_copy


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_reports_are_written(rebuilt):
    findings = json.loads((rebuilt / "reports/findings.json").read_text())
    verdicts = {claim["verdict"] for claim in findings["claims"].values()}
    assert verdicts <= {"holds", "fails", "undecided"}
    for name in ("index.html", "metrics.json", "tables", "figures"):
        assert (rebuilt / "reports" / name).exists(), name


def test_nothing_changed_nothing_runs(rebuilt):
    assert "Running stage" not in run(rebuilt, *DVC, "repro")
    assert complaints(rebuilt) == []


def test_deleted_outputs_come_back_from_the_cache(rebuilt):
    before = contents(rebuilt / "reports")
    shutil.rmtree(rebuilt / "work")
    assert "Running stage" not in run(rebuilt, *DVC, "repro")
    assert (rebuilt / "work/maps/relevance-pretrained").is_dir()
    assert contents(rebuilt / "reports") == before


def test_where_to_run_is_no_reason_to_run(rebuilt):
    file = rebuilt / "params.yaml"
    before = file.read_text()
    file.write_text(before.replace("workers: 0", "workers: 1"))
    assert before != file.read_text()
    assert "Running stage" not in run(rebuilt, *DVC, "repro")
    file.write_text(before)


def test_metrics_and_plots_are_shown(rebuilt):
    assert "reports/metrics.json" in run(rebuilt, *DVC, "metrics", "show")
    run(rebuilt, *DVC, "plots", "show", "-o", "dvc_plots")
    assert "vega" in (rebuilt / "dvc_plots" / "index.html").read_text()
    checked = ["-m", "stages.findings", "check", "--against", "reports/findings.json"]
    assert "0 verdicts flipped" in run(rebuilt, sys.executable, *checked)


def test_ablate_killed_midway_goes_on_to_the_same_result(rebuilt):
    output = rebuilt / "work/ablate/relevance-0"
    before = contents(output)
    shutil.rmtree(output)
    command = [sys.executable, "-m", "stages.ablate", "--task", "relevance", "--seed", "0"]
    progress = rebuilt / "work/scratch/ablate"
    with subprocess.Popen(command, cwd=rebuilt, stderr=subprocess.DEVNULL) as process:
        while not list(progress.glob("*/*/*.npz")):
            assert process.poll() is None, "ended before its first batch"
            time.sleep(0.002)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not output.exists()
    run(rebuilt, *command)
    assert contents(output) == before
    assert not list(progress.glob("*"))


def test_rebuilt_byte_for_byte_as_in_a_clone(rebuilt):
    """The lock stays, as in a clone: DVC writes a new one in an order that varies."""
    before = contents(rebuilt / "reports") | {"lock": (rebuilt / "dvc.lock").read_bytes()}
    for name in ("work", ".dvc/cache", "reports"):
        shutil.rmtree(rebuilt / name)
    assert "Running stage 'finetune" in run(rebuilt, *DVC, "repro")
    after = contents(rebuilt / "reports") | {"lock": (rebuilt / "dvc.lock").read_bytes()}
    assert [name for name in before | after if before.get(name) != after.get(name)] == []
