"""Every command of README.md is run: here, or by what the first test names."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from datasets import ClassLabel, Dataset, Features, Value
from ruamel.yaml import YAML

from stages.core.tasks import load_task
from tests.integration.hub import COMMIT, serving
from tests.integration.tiny import SETTINGS, merge, run
from tests.lock import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.M | re.S)
COMMANDS = [line for kind, block in BLOCKS if kind == "bash" for line in block.splitlines()]
INLINE = re.findall(r"`(dvc repro[^`]*)`", README)
SET_UP = "python3.11 -m venv .venv && . .venv/bin/activate && pip install -q -r requirements.txt"
REBUILD, TEST = f"{SET_UP} && dvc repro", f"{SET_UP} && python -m pytest"
COMPARE = [
    "dvc metrics show",
    "dvc metrics diff",
    "dvc params diff",
    "python -m stages.report plots show",
    "python -m stages.findings check --against HEAD",
]
OWN_CONFIGURATION = (
    "mkdir configurations/mine && cp params.yaml dvc.yaml configurations/mine && "
    "ln -s ../../stages ../../data configurations/mine"
)
GLUE = "cd configurations/glue && dvc repro"
SIDE_BY_SIDE = (
    "dvc stage list --name-only | grep '^finetune@' | "
    "xargs -P 2 -I{} dvc -q --wait-for-lock repro -s {}"
)
OWN_FILES = "dvc repro -f prepare@tickets"
CARD = """---
configs:
- config_name: mrpc
  data_files:
  - {split: train, path: mrpc/train.parquet}
  - {split: validation, path: mrpc/validation.parquet}
---
"""


def bash(folder: Path, command: str, **environment: str) -> str:
    return run(folder, "bash", "-euo", "pipefail", "-c", command, **environment)


def test_every_command_is_run_somewhere():
    assert sorted(COMMANDS) == sorted(
        [REBUILD, TEST, *COMPARE, OWN_CONFIGURATION, GLUE, SIDE_BY_SIDE]
    )
    assert set(INLINE) == {"dvc repro", OWN_FILES}
    # .ci/run takes the test line from README.md; the rebuild's parts are the workflow's steps.
    assert "README.md" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    workflow = YAML(typ="safe").load(ROOT / ".github/workflows/pipeline.yml")
    steps = [step.get("run") for step in workflow["jobs"]["rebuild"]["steps"]]
    assert {"pip install -q -r requirements.txt", "dvc repro"} <= set(steps)


@pytest.fixture(scope="module")
def committed(module_copy: Path) -> Path:
    """The project as a clone has it: lock and reports, no outputs."""
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["add", "-A"], [*author, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=module_copy, check=True)
    return module_copy


@pytest.mark.parametrize("command", COMPARE)
def test_commits_are_compared(committed, command):
    printed = bash(committed, command)
    if command == "dvc metrics show":
        assert "reports/metrics.json" in printed
    if "check" in command:
        assert "0 verdicts flipped" in printed


@pytest.mark.parametrize(
    ("command", "file", "change", "shown"),
    [
        ("dvc params diff", "params.yaml", ("epochs: 3", "epochs: 4"), "finetune.epochs"),
        ("dvc metrics diff", "reports/metrics.json", ('"holds": ', '"holds": 1'), "verdicts.holds"),
    ],
)
def test_diffs_show_what_changed(committed, command, file, change, shown):
    before = (committed / file).read_text()
    assert change[0] in before
    (committed / file).write_text(before.replace(*change, 1))
    lines = [line for line in bash(committed, command).splitlines() if line.startswith(file)]
    (committed / file).write_text(before)
    assert len(lines) == 1
    assert shown in lines[0]


def test_a_configuration_of_ones_own(committed):
    bash(committed, OWN_CONFIGURATION)
    bash(committed / "configurations/mine", "dvc repro prepare@relevance")
    assert (committed / "configurations/mine/work/tasks/relevance/train.parquet").is_file()


def entry(name: str) -> dict:
    """README.md's example of a task."""
    examples = [YAML(typ="safe").load(block) for kind, block in BLOCKS if kind == "yaml"]
    return next(block["tasks"] for block in examples if name in block.get("tasks", {}))


def test_own_files_by_parameters_alone(committed):
    yaml = YAML()
    parameters = yaml.load(committed / "params.yaml")
    parameters["tasks"].update(entry("tickets"))
    parameters["run"]["tasks"] = ["tickets"]
    before = (committed / "params.yaml").read_bytes()
    yaml.dump(parameters, committed / "params.yaml")
    (committed / "my").mkdir()
    for name in ("train", "dev"):
        (committed / f"my/{name}.tsv").write_text("title\turgent\nno water\tyes\nthanks\tno\n")
    bash(committed, OWN_FILES)
    assert (committed / "work/tasks/tickets/validation.parquet").is_file()
    (committed / "my/dev.tsv").write_text("title\turgent\nno water\tmaybe\n")
    with pytest.raises(AssertionError, match=r"(?s)my/dev.tsv.*line 2: unknown label 'maybe'"):
        bash(committed, OWN_FILES)
    (committed / "params.yaml").write_bytes(before)


def test_the_task_of_the_hub_is_not_in_the_file_and_is_accepted(committed):
    yaml = YAML()
    parameters = yaml.load(committed / "params.yaml")
    assert "cola" not in parameters["tasks"]
    parameters["tasks"].update(entry("cola"))
    yaml.dump(parameters, committed / "with-cola.yaml")
    task = load_task("cola", committed / "with-cola.yaml")
    assert (task.data.source, task.metrics[0]) == ("hub", "matthews")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Hub with a few rows of `nyu-mll/glue`'s MRPC."""
    root = tmp_path_factory.mktemp("hub")
    folder = root / "datasets/nyu-mll/glue/mrpc"
    folder.mkdir(parents=True)
    label = ClassLabel(names=["not_equivalent", "equivalent"])
    features = Features(
        {"sentence1": Value("string"), "sentence2": Value("string"), "label": label}
    )
    for split, count in {"train": 48, "validation": 24}.items():
        rows = {
            "sentence1": [f"the {split} costs {row} pounds" for row in range(count)],
            "sentence2": [f"{row + row % 2} pounds for the {split}" for row in range(count)],
            "label": [1 - row % 2 for row in range(count)],
        }
        Dataset.from_dict(rows, features).to_parquet(folder / f"{split}.parquet")
    (folder.parent / "README.md").write_text(CARD)
    with serving(root) as address:
        yield address


def test_the_glue_configuration_runs_through_the_hub(committed, hub, tiny_checkpoints, tmp_path):
    """On a tiny encoder and a few rows; the committed lock and reports are of the real ones."""
    yaml = YAML()
    file = committed / "configurations/glue/params.yaml"
    parameters = yaml.load(file)
    merge(parameters, SETTINGS)
    merge(parameters, {"run": {"tasks": ["mrpc"]}})
    merge(parameters, {"tasks": {"mrpc": {"data": {"revision": COMMIT}, "max_length": 64}}})
    parameters["checkpoint"] = {"source": "folder", "path": str(tiny_checkpoints["bert"])}
    yaml.dump(parameters, file)
    offline = {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    environment = {"HF_ENDPOINT": hub, "HF_HOME": str(tmp_path / "home"), **offline}
    bash(committed, GLUE, **environment)
    reports = committed / "configurations/glue/reports"
    assert "mrpc" in (reports / "tables/finetune-scores.csv").read_text()
    bash(reports.parent, SIDE_BY_SIDE, **environment)
