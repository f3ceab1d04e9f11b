"""Real DVC, every stage: the configuration `glue` on a tiny encoder, one task and few examples."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from stages.patterns.labelled_maps import read_table
from stages.patterns.map_file import read_maps, write_maps
from tests.integration.hub import COMMIT
from tests.integration.tiny import CONFIGURE, GLUE, run, small
from tests.integration.warm import warm_python
from tests.reading.made import questions
from tools.lock import DVC, complaints

SHELL = ["bash", "-euo", "pipefail", "-c"]


def keep_few(folder: Path) -> None:
    """Leave one labelled map of each class and encoder in every fold."""
    tables = {name: read_table(folder / f"{name}.csv") for name in ("maps", "labels")}
    kinds = tables["maps"][["fold", "encoder"]].assign(label=tables["labels"]["label"])
    kept = kinds.groupby(list(kinds)).head(1).index
    maps = read_maps(folder / "maps.npz")
    write_maps(folder / "maps.npz", [maps[place] for place in kept])
    for name, table in tables.items():
        table.loc[kept].to_csv(folder / f"{name}.csv", index=False)


def few_questions(file: Path) -> dict:
    """A source of questions whose words the tiny encoder knows: written ones do not fit into it."""
    keys = ("passage", "question", "options", "answer")
    lines = [json.dumps({key: getattr(one, key) for key in keys}) for one in questions(24)]
    file.write_text("\n".join(lines), encoding="utf-8")
    splits = {"train": str(file), "validation": str(file)}
    return {"source": "files", "layout": "questions", "splits": splits}


@pytest.fixture(scope="module")
def both(
    module_copy: Path,
    tiny_checkpoints: dict[str, Path],
    environment: dict[str, str],
    warm: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Path]:
    """The configuration `glue` on a tiny encoder and a few rows of one task, rebuilt twice.

    The second time each stage's command runs by itself, in the order that DVC chose; that of the
    report is left to tests/report/test_report.py.
    """
    yaml = YAML()
    folder = module_copy / "configurations/glue"
    settings = small(yaml.load(module_copy / "params.yaml")) | {
        "run": {"tasks": ["mrpc"]},
        "tasks": {
            "mrpc": {"data": {"revision": COMMIT}, "max_length": 64},
            "questions": {"data": few_questions(module_copy / "questions.jsonl"), "max_length": 64},
        },
        "checkpoint": {"source": "folder", "path": str(tiny_checkpoints["bert"])},
    }
    yaml.dump(settings, folder / "settings.yaml")
    run(module_copy, *SHELL, CONFIGURE)
    keep_few(module_copy / "data/patterns")
    (folder / "dvc.lock").unlink(missing_ok=True)
    shutil.rmtree(folder / "reports")
    again = tmp_path_factory.mktemp("again") / "project"
    shutil.copytree(module_copy, again, symlinks=True)
    said = run(module_copy, *SHELL, GLUE, **warm)
    stages = YAML(typ="safe").load(folder / "dvc.lock")["stages"]
    order = re.findall(r"Running stage '(.*)':", said)
    assert sorted(order) == sorted(stages)
    assert order[-1] == "report"
    commands = "\n".join(f"DVC_STAGE='{name}' {stages[name]['cmd']}" for name in order[:-1])
    again = again / "configurations/glue"
    # Strings in sets have another order than the first time.
    second = environment | {"PYTHONHASHSEED": "2"}
    with warm_python(tmp_path_factory.mktemp("warm"), second) as other:
        run(again, *SHELL, commands, **other)
    return folder, again


@pytest.fixture(scope="module")
def rebuilt(both: tuple[Path, Path]) -> Path:
    return both[0]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but the states from which a killed run goes on."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_relative_to(folder / "scratch")
    }


def test_two_rebuilds_give_the_same_bytes(both):
    """All that stages leave to each other, and findings."""
    one, other = (contents(folder / "work") for folder in both)
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []
    for name in ("findings.json", "metrics.json"):
        assert len({(folder / "reports" / name).read_bytes() for folder in both}) == 1, name


def test_reports_are_written(rebuilt):
    findings = json.loads((rebuilt / "reports/findings.json").read_text())
    verdicts = {claim["verdict"] for claim in findings["claims"].values()}
    assert verdicts <= {"holds", "fails", "undecided", "not decidable here"}
    for name in ("metrics.json", "heads.csv", "plots", "site/index.html", "site/figures"):
        assert (rebuilt / "reports" / name).exists(), name
    assert "mrpc" in (rebuilt / "reports/site/tables/finetune-scores.csv").read_text()
    assert "reports/site" in run(rebuilt, "git", "status", "--ignored", "--porcelain", ".")
    assert not list(rebuilt.glob("reports/.gitignore"))  # that of the root is enough


def test_nothing_runs_but_deleted_outputs_come_back_wherever_it_runs(rebuilt):
    before = contents(rebuilt / "reports")
    for name in ("work/maps", "work/tasks", "work/measures/drift", "reports/site"):
        shutil.rmtree(rebuilt / name)
    run(rebuilt, *DVC, "checkout", "reports/site")  # `dvc repro` would draw it again
    file = rebuilt / "params.yaml"
    settings = file.read_text()
    file.write_text(settings.replace("workers: 0", "workers: 1"))
    assert settings != file.read_text()
    assert "Running stage" not in run(rebuilt, *DVC, "repro")
    assert (rebuilt / "work/maps/mrpc/tuned").is_dir()
    assert (rebuilt / "work/tasks/mrpc/train.parquet").is_file()
    assert list((rebuilt / "work/measures/drift").glob("*/*.parquet"))
    assert contents(rebuilt / "reports") == before
    file.write_text(settings)
    assert complaints(rebuilt) == []


def test_metrics_and_plots_are_shown(rebuilt, warm):
    assert "reports/metrics.json" in run(rebuilt, *DVC, "metrics", "show")
    run(rebuilt, *DVC, "plots", "show", "-o", "dvc_plots")
    assert "vega" in (rebuilt / "dvc_plots" / "index.html").read_text()
    checked = ["python", "-m", "stages", "findings", "check", "--against", "reports/findings.json"]
    assert ", 0 wrong or beyond their interval" in run(rebuilt, *checked, **warm)


def test_ablate_killed_midway_goes_on_to_the_same_result(rebuilt, warm):
    output, measures = rebuilt / "work/ablate/mrpc", rebuilt / "work/measures/ablate"
    before = contents(output), contents(measures)
    shutil.rmtree(output)
    words = ["-m", "stages", "ablate", "--task", "mrpc"]
    progress = rebuilt / "work/scratch/ablate"
    shutil.rmtree(progress, ignore_errors=True)
    with subprocess.Popen(
        [sys.executable, *words], cwd=rebuilt, stderr=subprocess.DEVNULL
    ) as process:
        while not list(progress.rglob("*.npz")):
            assert process.poll() is None, "ended before its first batch"
            time.sleep(0.002)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not output.exists()
    run(rebuilt, "python", *words, **warm)
    assert (contents(output), contents(measures)) == before
    # Batches make room for what they add up to.
    for arm in ("tuned", "tuned_from_random"):
        finished = progress.glob(f"mrpc/{arm}-0/*/finished/*")
        assert [path.name for path in finished] == ["outcomes"]
        assert not list(progress.glob(f"mrpc/{arm}-0/*/fixed-*"))
