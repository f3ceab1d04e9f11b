"""Every command of README.md and docs/ is run: here, or by what the first test names."""

import re
import shutil
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from safetensors.torch import load_file

from stages.core.tasks.task import load_task
from tests.checkpoints import MINILM_HEADS, write_tiny
from tests.integration.tiny import GLUE, run
from tests.report.test_comparison import COMPARE_CONFIGURATIONS
from tests.view.test_command import VIEW, VIEW_TUNED
from tools.pipeline import ROOT

PAGES = {
    page: page.read_text(encoding="utf-8")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
}
DOCS = "\n".join(PAGES.values())
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", DOCS, re.M | re.S)
COMMANDS = [line for kind, block in BLOCKS if kind == "bash" for line in block.splitlines()]
INLINE = re.findall(r"`(dvc repro[^`]*)`", DOCS)
INSTALL = "pip install -q -r requirements.txt"
ENVIRONMENT = "python3.11 -m venv .venv && . .venv/bin/activate"
REBUILD = f"{ENVIRONMENT} && {INSTALL} && dvc repro"
# Python compiles what tests import when they do: compiling all at once takes a minute more.
TEST = (
    f"{ENVIRONMENT} && {INSTALL.replace('-q', '-q --no-compile')} -r requirements-cluster.txt "
    "-r requirements-text.txt && python -m pytest"
)
COMPARE = [
    "dvc metrics show",
    "dvc metrics diff",
    "dvc params diff",
    "python -m stages report plots show",
    "python -m stages findings check --against HEAD",
]
# What is changed for one of them to find: file, text before and after, and what it shows.
DIFFS = {
    "dvc params diff": ("params.yaml", ("epochs: 3", "epochs: 4"), "finetune.epochs"),
    "dvc metrics diff": (
        "reports/metrics.json",
        ('"holds": ', '"holds": 1'),
        "verdicts.holds",
    ),
}
OWN_CONFIGURATION = "python -m tools.configurations configurations/mine"
NEW = (
    "python -m tools.new tickets --train my/train.tsv --validation my/dev.tsv --text title "
    "--label urgent --quick"
)
ESTIMATE_NEW = "python -m tools.estimate configurations/tickets"
REBUILD_NEW = "cd configurations/tickets && dvc repro"
CUT = "python -m tools.cut work/models/relevance/tuned-0 my/without --heads 5.3 5.8"
OWN_FILES = "dvc repro -f prepare@tickets"
BENCHMARK = "python -m benchmarks grid --examples 8 --every 12 --rounds 1 --against loop"


def bash(folder: Path, command: str, **environment: str) -> str:
    return run(folder, "bash", "-euo", "pipefail", "-c", command, **environment)


def test_every_command_is_run_somewhere():
    others = [OWN_CONFIGURATION, NEW, ESTIMATE_NEW, REBUILD_NEW, GLUE, BENCHMARK, CUT]
    elsewhere = [VIEW, VIEW_TUNED, COMPARE_CONFIGURATIONS]
    assert set(COMMANDS) == {REBUILD, TEST, *COMPARE, *others, *elsewhere}
    # `prepare` is what tests of own files run.
    assert set(INLINE) == {"dvc repro", OWN_FILES}
    # GLUE: tests/integration/test_pipeline.py.
    # .ci/run takes the test line from README.md; the rebuild's parts are the workflow's steps.
    assert "README.md" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    workflow = YAML(typ="safe").load(ROOT / ".github/workflows/pipeline.yml")
    steps = [step.get("run") for step in workflow["jobs"]["rebuild"]["steps"]]
    assert {INSTALL, "dvc repro"} <= set(steps)


def test_every_picture_is_there_and_loads_at_once():
    """Renew them by `python -m tests.browser.pictures`."""
    pictures = [
        page.parent / path
        for page, text in PAGES.items()
        for path in re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    ]
    assert {path.suffix for path in pictures} == {".png"}
    for path in pictures:
        assert path.stat().st_size < 300_000, path


def test_every_link_between_pages_leads_to_a_file():
    links = [
        (page, link.partition("#")[0])
        for page, text in PAGES.items()
        for link in re.findall(r"(?<!!)\[[^]]+\]\(([^)]+)\)", text)
    ]
    local = [(page, link) for page, link in links if not re.match("https?:", link)]
    assert len(local) > 15
    assert [link for page, link in local if not (page.parent / link).exists()] == []
    assert len(PAGES[ROOT / "README.md"].splitlines()) < 150


@pytest.mark.parametrize("command", [one for one in COMPARE if one not in DIFFS])
def test_commits_are_compared(committed, warm, command):
    printed = bash(committed, command, **warm)
    if command == "dvc metrics show":
        assert "reports/metrics.json" in printed
    if "check" in command:
        assert ", 0 wrong or beyond their interval" in printed


@pytest.mark.parametrize("command", DIFFS)
def test_diffs_show_what_changed(committed, command):
    file, change, shown = DIFFS[command]
    before = (committed / file).read_text()
    assert change[0] in before
    (committed / file).write_text(before.replace(*change, 1))
    lines = [line for line in bash(committed, command).splitlines() if line.startswith(file)]
    (committed / file).write_text(before)
    assert len(lines) == 1
    assert shown in lines[0]


def test_a_configuration_of_ones_own(committed, warm):
    bash(committed, OWN_CONFIGURATION, **warm)
    mine = committed / "configurations/mine"
    (example,) = [block for kind, block in BLOCKS if kind == "yaml" and "without:" in block]
    (mine / "settings.yaml").write_text(example)
    bash(committed, OWN_CONFIGURATION, **warm)
    stages = bash(mine, "dvc stage list --name-only").split()
    assert {"drift@sentiment", "syntax@sentences"} <= set(stages)
    assert not [name for name in stages if re.match("probes|clusters|.*@relevance", name)]
    bash(mine, "dvc repro prepare@sentiment", **warm)
    assert (mine / "work/tasks/sentiment/train.parquet").is_file()
    shutil.rmtree(mine)


def test_a_benchmark_prints_and_keeps_its_table(committed, warm):
    assert "this grid" in bash(committed, BENCHMARK, **warm)
    assert BENCHMARK in (committed / "reports/benchmarks/README.md").read_text()


def test_a_checkpoint_without_some_heads(committed, warm):
    model, without = committed / "work/models/relevance/tuned-0", committed / "my/without"
    write_tiny("minilm", model)
    assert "2 heads off" in bash(committed, CUT, **warm)
    name = "encoder.layer.5.attention.output.dense.weight"
    before, after = (load_file(folder / "model.safetensors")[name] for folder in (model, without))
    size = before.shape[1] // MINILM_HEADS
    off = (after == 0).all(dim=0).nonzero().flatten().tolist()
    assert off == [head * size + place for head in (3, 8) for place in range(size)]
    shutil.rmtree(model.parents[1])
    shutil.rmtree(without.parent)


def entry(name: str) -> dict:
    """README.md's example of a task."""
    examples = [YAML(typ="safe").load(block) for kind, block in BLOCKS if kind == "yaml"]
    return next(block["tasks"] for block in examples if name in block.get("tasks", {}))


def test_own_files_by_one_command(committed, warm):
    (committed / "my").mkdir()
    for name in ("train", "dev"):
        (committed / f"my/{name}.tsv").write_text("title\turgent\nno water\tyes\nthanks\tno\n")
    assert "made configurations/tickets" in bash(committed, NEW, **warm)
    assert load_task("tickets", committed / "configurations/tickets/params.yaml").label_names == [
        "no",
        "yes",
    ]
    # What comes after the examples: tests/integration/test_pipeline.py, on another configuration.
    done = bash(committed, f"{ESTIMATE_NEW} && {REBUILD_NEW} prepare@tickets", **warm)
    assert re.search(r"about [1-9]\d* minutes and [\d.]+ GB of disk", done)
    shutil.rmtree(committed / "configurations/tickets")
    shutil.rmtree(committed / "my")


def test_own_files_by_parameters_alone(committed, warm):
    yaml = YAML()
    parameters = yaml.load(committed / "params.yaml")
    parameters["tasks"].update(entry("tickets"))
    parameters["run"]["tasks"] = ["tickets"]
    for study in ("word_order", "matching", "pair_baselines"):
        parameters[study]["tasks"] = []
    kept = {name: (committed / name).read_bytes() for name in ("params.yaml", "dvc.lock")}
    (committed / "dvc.lock").unlink()  # of the whole default, which DVC would read and write anew
    yaml.dump(parameters, committed / "params.yaml")
    (committed / "my").mkdir()
    for name in ("train", "dev"):
        (committed / f"my/{name}.tsv").write_text("title\turgent\nno water\tyes\nthanks\tno\n")
    bash(committed, OWN_FILES, **warm)
    assert (committed / "work/tasks/tickets/validation.parquet").is_file()
    (committed / "my/dev.tsv").write_text("title\turgent\nno water\tmaybe\n")
    with pytest.raises(AssertionError, match=r"(?s)my/dev.tsv.*line 2: unknown label 'maybe'"):
        bash(committed, OWN_FILES, **warm)
    for name, content in kept.items():
        (committed / name).write_bytes(content)


def test_the_task_of_the_hub_is_not_in_the_file_and_is_accepted(committed):
    yaml = YAML()
    parameters = yaml.load(committed / "params.yaml")
    assert "cola" not in parameters["tasks"]
    parameters["tasks"].update(entry("cola"))
    yaml.dump(parameters, committed / "with-cola.yaml")
    task = load_task("cola", committed / "with-cola.yaml")
    assert (task.data.source, task.metrics[0]) == ("hub", "matthews")
