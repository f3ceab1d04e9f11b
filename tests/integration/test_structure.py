"""The shape of the pipeline: what `dvc.yaml`, `params.yaml` and the code promise each other."""

import importlib
import re
import subprocess
from pathlib import Path

import pytest
import yaml as pyyaml
from ruamel.yaml import YAML

from stages.code.stage import run_files
from stages.core.closure import CORPUS, imports, sources
from stages.core.stage.command import stage_files
from stages.core.stage.places import CODE, CODE_FILES
from stages.core.tables import Table
from tools.lock import DVC
from tools.pipeline import ROOT, definition

PIPELINE = YAML(typ="safe").load(ROOT / "dvc.yaml")
STAGES = {name: definition(stage) for name, stage in PIPELINE["stages"].items()}
CONFIGURATIONS = [ROOT, *sorted(path.parent for path in ROOT.glob("configurations/*/params.yaml"))]
MOST_STAGES = 100
RUN = run_files()


def paths(stage: dict, kind: str) -> list[str]:
    """The paths a stage lists under deps, outs, metrics or plots."""
    return [next(iter(path)) if isinstance(path, dict) else path for path in stage.get(kind, [])]


def outputs(stage: dict) -> list[str]:
    return [path for kind in ("outs", "metrics", "plots") for path in paths(stage, kind)]


@pytest.mark.parametrize("name", [name for name in STAGES if name != "code"])
def test_every_stage_depends_on_the_sums_of_its_own_code(name):
    source = "-${item.source}" if name == CORPUS else ""
    sums = [(CODE / f"{name}{source}.txt").as_posix()]
    listed = [CODE_FILES.as_posix()] if name == "report" else []
    code = [dep for dep in paths(STAGES[name], "deps") if dep.startswith(CODE.as_posix())]
    assert code == listed + sums
    assert name in RUN or all(f"{CORPUS}-{source}" in RUN for source in sources())


def test_the_sums_of_all_stages_are_one_output():
    assert paths(STAGES["code"], "outs") == [CODE.as_posix()]
    assert paths(STAGES["code"], "deps") == ["stages"]


def stages_of(file: str) -> set[str]:
    """The stages that run anew when a file changes, before those that depend on their outputs."""
    return {name for name, files in RUN.items() if Path(file) in files}


def test_a_page_concerns_the_report_alone_and_claims_the_findings_alone():
    for file in (ROOT / "stages").glob("*/*page.py"):
        assert stages_of(str(file.relative_to(ROOT))) == {"report"}, file
    for file in (ROOT / "stages").glob("*/claims.py"):
        assert stages_of(str(file.relative_to(ROOT))) == {"findings"}, file


def test_a_reader_concerns_the_corpora_of_its_source_alone():
    for source, file in sources().items():
        assert stages_of(str(file)) == {f"corpus-{source}"}, file


@pytest.mark.parametrize("name", STAGES)
def test_stage_room_and_tests_have_one_name(name):
    """A room has one stage of its own name; others that belong to its study beside it."""
    _, room, *step, _ = stage_files()[name].parts
    assert step == ([] if name == room else [name])
    folder = ROOT / "tests" / room
    if (ROOT / "stages" / room).is_dir():
        assert list(folder.glob("test_*.py")), f"no tests in tests/{room}"
    else:
        assert folder.with_name(f"test_{room}.py").is_file()


def declared_tables(room: str) -> list[Table]:
    """The tables that a room's `tables.py` declares."""
    if not (ROOT / "stages" / room / "tables.py").is_file():
        return []
    module = importlib.import_module(f"stages.{room}.tables")
    return [table for table in vars(module).values() if isinstance(table, Table)]


def test_every_declared_table_is_an_output_of_its_room():
    made: dict[str, list[str]] = {}
    for name, stage in STAGES.items():
        room = stage_files()[name].parts[1]
        made.setdefault(room, []).extend(
            re.sub(r"\$\{[^}]*\}", "x", path) for path in outputs(stage)
        )
    for room, places in made.items():
        for table in declared_tables(room):
            # The folder of a data set, or the file of a table that is about none.
            file = table.path("x" if "data" in table.key_columns else "")
            assert {file.as_posix(), file.parent.as_posix()} & set(places), (room, table.file)


def test_every_dep_is_in_git_or_exactly_an_output_of_a_stage():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    made = {
        re.sub(r"\$\{[^}]*\}", "*", path) for stage in STAGES.values() for path in outputs(stage)
    }
    patterns = [re.compile(re.escape(path).replace(r"\*", ".+") + "$") for path in made]
    for name, stage in STAGES.items():
        for dep in paths(stage, "deps"):
            if dep == "work/measures":  # the gathered folder: tests/integration/test_lock.py
                assert name in ("findings", "report")
                continue
            if Path(dep).parent == CODE:  # test_every_stage_depends_on_the_sums_of_its_own_code
                continue
            concrete = re.sub(r"\$\{[^}]*\}", "x", dep)
            # One folder for each value of an item, as data/patterns/dodrio.
            named = re.escape(re.sub(r"\$\{[^}]*\}", "ITEM", dep)).replace("ITEM", "[^/]+")
            place = re.compile(f"{named}(/|$)")
            in_git = any(place.match(file) for file in tracked)
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
    tasks = YAML(typ="safe").load(folder / "params.yaml")["run"]["tasks"]
    for stage in ("finetune", "ablate", "drift"):
        # Seeds and arms make no further stages.
        assert [name for name in names if name.startswith(f"{stage}@")] == [
            f"{stage}@{task}" for task in tasks
        ]
    assert folder != ROOT or len(names) <= MOST_STAGES


def test_imports_only_go_down():
    """Core imports no room, a room no other; `api.py` is for users, and no stage's."""
    for file in (ROOT / "stages").rglob("*.py"):
        family = file.relative_to(ROOT).parts[:2]  # stages/core, stages/ablate
        for other in imports(file.relative_to(ROOT)):
            shared = other.parts[:2] == ("stages", "core") or other.name == "__init__.py"
            assert shared or other.parts[:2] == family or family[1] == "api.py", (file, other)
    assert not any(Path("stages/api.py") in files for files in RUN.values())


def test_every_claim_of_the_configurations_is_described_once():
    claims = YAML(typ="safe").load(ROOT / "data" / "claims.yaml")["claims"]
    names = [claim["id"] for claim in claims]
    assert len(set(names)) == len(names)
    studies = {claim["study"] for claim in claims}
    kovaleva = {f"K{number}" for number in range(1, 10)}
    clark = {f"C{number}" for number in range(1, 9)}
    query_title = {f"T{number}" for number in range(1, 11)}
    assert kovaleva | clark | query_title | {"V1", "V3", "L1", "L2", "B1", "B2"} <= studies
