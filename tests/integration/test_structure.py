"""The shape of the pipeline: what `dvc.yaml`, `params.yaml` and the code promise each other."""

import re
import subprocess

import pytest
import yaml as pyyaml
from ruamel.yaml import YAML

from tools.dependencies import ROOT, closure, dependency, imports, stage_module
from tools.lock import DVC

PIPELINE = YAML(typ="safe").load(ROOT / "dvc.yaml")
STAGES = PIPELINE["stages"]
CONFIGURATIONS = [ROOT, *sorted(path.parent for path in ROOT.glob("configurations/*/params.yaml"))]
MOST_STAGES = 100


def paths(stage: dict, kind: str) -> list[str]:
    """The paths a stage lists under deps, outs, metrics or plots."""
    return [next(iter(path)) if isinstance(path, dict) else path for path in stage.get(kind, [])]


def outputs(stage: dict) -> list[str]:
    return [path for kind in ("outs", "metrics", "plots") for path in paths(stage, kind)]


@pytest.mark.parametrize("name", STAGES)
def test_every_module_that_a_stage_runs_is_among_its_deps(name):
    listed = {dep for dep in paths(STAGES[name], "deps") if dep.startswith("stages/")}
    needed = {str(dependency(module)) for module in closure(stage_module(STAGES[name]["cmd"]))}
    assert listed == needed, "renew the lists with: python -m tests.modules"


@pytest.mark.parametrize("name", STAGES)
def test_name_module_and_tests_are_one_word(name):
    assert stage_module(STAGES[name]["cmd"]) == f"stages.{name}"
    assert list((ROOT / "tests").glob(f"*/test_{name}*.py")), f"no tests/*/test_{name}.py"


def test_every_dep_is_in_git_or_exactly_an_output_of_a_stage():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    made = {
        re.sub(r"\$\{[^}]*\}", "*", path) for stage in STAGES.values() for path in outputs(stage)
    }
    # `${key}` of a matrix is `${item.task}-${item.arm}-...`; each star may stand for several.
    patterns = [re.compile(re.escape(path).replace(r"\*", ".+") + "$") for path in made]
    for name, stage in STAGES.items():
        for dep in paths(stage, "deps"):
            if dep == "work/measures":  # the gathered folder: tests/integration/test_lock.py
                assert name in ("findings", "report")
                continue
            concrete = re.sub(r"\$\{[^}]*\}", "x", dep)
            in_git = any(file == dep or file.startswith(f"{dep}/") for file in tracked)
            assert in_git or any(pattern.match(concrete) for pattern in patterns), (name, dep)


def test_where_to_run_is_no_parameter_of_any_stage():
    assert "${runtime" not in (ROOT / "dvc.yaml").read_text(encoding="utf-8")
    for name, stage in STAGES.items():
        assert not [key for key in stage.get("params", []) if key.startswith("runtime")], name


def test_only_cheap_stages_keep_outputs_out_of_the_cache():
    for name, stage in STAGES.items():
        uncached = [
            path
            for kind in ("outs", "metrics", "plots")
            for path in stage.get(kind, [])
            if isinstance(path, dict) and next(iter(path.values())).get("cache") is False
        ]
        assert not uncached or name in ("findings", "report"), (name, uncached)


@pytest.mark.parametrize("folder", CONFIGURATIONS, ids=lambda path: path.name)
def test_numbers_in_params_are_numbers_to_every_reader(folder):
    text = (folder / "params.yaml").read_text(encoding="utf-8")
    assert YAML(typ="safe").load(text) == pyyaml.safe_load(text)


@pytest.mark.parametrize("folder", CONFIGURATIONS, ids=lambda path: path.name)
def test_dvc_lists_the_stages_of_every_configuration(folder):
    listed = subprocess.run(
        [*DVC, "stage", "list", "--name-only"], cwd=folder, capture_output=True, text=True
    )
    assert listed.returncode == 0, listed.stderr
    names = listed.stdout.splitlines()
    run = YAML(typ="safe").load(folder / "params.yaml")["run"]
    tuned = [name for name in names if name.startswith("finetune@")]
    assert len(tuned) == len(run["tasks"]) * len(run["arms"]) * len(run["seeds"])
    assert folder != ROOT or len(names) <= MOST_STAGES


def test_core_imports_no_stage_and_no_stage_another():
    for file in (ROOT / "stages").rglob("*.py"):
        family = file.relative_to(ROOT).parts[:2]  # stages/core, stages/report, stages/ablate.py
        for other in imports(file.relative_to(ROOT)):
            shared = other.parts[:2] == ("stages", "core") or other.name == "__init__.py"
            # The tool that draws labelling sheets runs in no stage.
            assert shared or other.parts[:2] == family or family[1] == "labelling", (file, other)


@pytest.mark.parametrize("folder", CONFIGURATIONS[1:], ids=lambda path: path.name)
def test_configurations_share_pipeline_code_and_data(folder):
    for name in ("stages", "data"):
        assert (folder / name).is_symlink()
        assert (folder / name).resolve() == ROOT / name
    # A copy, as DVC cannot read links in git's history; `python -m tests.modules` renews it.
    assert not (folder / "dvc.yaml").is_symlink()
    assert (folder / "dvc.yaml").read_bytes() == (ROOT / "dvc.yaml").read_bytes()


def test_every_claim_of_the_configurations_is_described_once():
    claims = YAML(typ="safe").load(ROOT / "data" / "claims.yaml")["claims"]
    names = [claim["id"] for claim in claims]
    assert len(set(names)) == len(names)
    studies = {claim["study"] for claim in claims}
    kovaleva = {f"K{number}" for number in range(1, 10)}
    clark = {f"C{number}" for number in range(1, 9)}
    assert kovaleva | clark | {"V1", "V3", "T1", "T2", "T3", "T4", "T9"} <= studies
