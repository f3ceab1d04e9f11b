"""A study is added and removed: what has to be touched for it, and that all of it then works."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.integration.tiny import run
from tools.lock import DVC

NAME = "lengths"
FILES = {
    "stages/lengths/tables.py": """\
from stages.core.tables import Table, count, name

# One row a text.
WORDS = Table(
    "lengths/words", keys="data", values={"id": name("example"), "words": count("words")}
)
""",
    "stages/lengths/stage.py": """\
from stages.core.stage.places import examples_file
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.examples import read_examples
from stages.lengths.tables import WORDS


class Lengths(Parameters, section="lengths"):
    \"\"\"The section `lengths` of `params.yaml`.\"\"\"

    separator: str


def run_stage(task: str) -> None:
    \"\"\"Count the words of every first text of TASK.\"\"\"
    parameters = section(Lengths, "lengths")
    examples = read_examples(examples_file(task, "validation"))
    words = examples["text_a"].str.split(parameters.separator).map(len)
    WORDS.write(examples[["id"]].assign(words=words), data=task)
""",
    "stages/lengths/claims.py": """\
import numpy as np

from stages.core.intervals.groups import group_intervals
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import Measures
from stages.lengths.tables import WORDS


@measure
def mean_words(measures: Measures, settings: Settings) -> Answer:
    \"\"\"The mean number of words of a text.\"\"\"
    words = measures.rows(WORDS)["words"].to_numpy(float)
    (interval,) = group_intervals(words[None], np.arange(len(words)), 1000, 0)
    return Answer(Estimate.of(interval, len(words)), {}, uncontrolled="no encoder is measured")
""",
    "stages/lengths/page.py": """\
from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Grid
from stages.lengths.tables import WORDS

PAGE = Page(
    title="Lengths",
    summary="How long texts are.",
    group="Models and tasks",
    order=40,
    studies=("X1",),
    content=(
        Section("Lengths", "Words of every text.", (Grid("lengths", "Texts by words", WORDS),)),
    ),
)
""",
    "tests/lengths/test_stage.py": """\
from stages.lengths.tables import WORDS


def test_words_are_counted_of_texts():
    assert WORDS.columns == ["data", "id", "words"]
""",
}
ADDED = {
    "params.yaml": "\nlengths:\n  separator: ' '\n",
    "data/claims.yaml": """\
- id: X1-words
  study: X1
  paper: querytitle
  section: "0"
  statement: Texts have more than two words on average.
  measure: mean_words
  unit: count
  kind: own
  holds: {above: 2}
  published: {where: Nowhere; a claim of a test.}
""",
}
STAGE = {
    "desc": "How long texts are",
    "matrix": {"task": "${run.tasks}"},
    "cmd": "python -m stages lengths ${item}",
    "deps": ["work/tasks/${item.task}", "work/code/lengths.txt"],
    "params": [NAME],
    "outs": ["work/measures/lengths/${item.task}"],
}


def changed(folder: Path) -> set[str]:
    """The files that git says were changed or added."""
    printed = run(folder, "git", "status", "--porcelain", "--untracked-files=all")
    return {line[3:] for line in printed.splitlines()}


@pytest.fixture(scope="module")
def added(committed: Path) -> Path:
    """The project with one more study, added by hand and by the commands of CONTRIBUTING.md."""
    for name, text in FILES.items():
        (committed / name).parent.mkdir(parents=True, exist_ok=True)
        (committed / name).write_text(text)
    for name, text in ADDED.items():
        with (committed / name).open("a") as file:
            file.write(text)
    ledger = committed / "data/claims.yaml"
    before, after = ledger.read_text().split("\nstudies:", 1)
    comment, entries = after.split("\n", 1)
    ledger.write_text(f"{before}\nstudies:{comment}\n  X1: {{text: natural}}\n{entries}")
    yaml = YAML()
    yaml.width = 100
    pipeline = yaml.load(committed / "dvc.yaml")
    pipeline["stages"].insert(len(pipeline["stages"]) - 2, NAME, STAGE)
    yaml.dump(pipeline, committed / "dvc.yaml")
    return committed


def test_a_study_touches_its_room_the_pipeline_settings_claims_and_tests_alone(added):
    assert changed(added) == {*FILES, *ADDED, "dvc.yaml"}


def test_configurations_follow_by_one_command(added):
    before = changed(added)
    run(added, sys.executable, "-m", "tools.configurations")
    made = {
        str(file.relative_to(added))
        for name in ("params.yaml", "dvc.yaml")
        for file in added.glob(f"configurations/*/{name}")
    }
    assert changed(added) - before == made


def test_it_runs_and_has_a_verdict_and_a_page(added, warm):
    run(added, *DVC, "repro", "lengths@sentiment", **warm)
    run(added, "python", "-m", "stages", "findings", **warm)
    run(added, "python", "-m", "stages", "report", **warm)
    findings = json.loads((added / "reports/findings.json").read_text())
    assert findings["claims"]["X1-words"]["verdict"] == "holds"
    assert "Texts by words" in (added / "reports/site/pages/lengths.html").read_text()
    assert 'href="pages/lengths.html"' in (added / "reports/site/index.html").read_text()
    structure = ["tests/integration/test_structure.py", "tests/lengths"]
    chosen = ["-k", "lengths or words or sums or down or declared or page or numbers"]
    run(added, sys.executable, "-m", "pytest", "-n", "0", *structure, *chosen)


def test_it_goes_as_it_came(added):
    for folder in ("stages/lengths", "tests/lengths"):
        shutil.rmtree(added / folder)
    subprocess.run(["git", "checkout", "-q", "."], cwd=added, check=True)
    subprocess.run(["git", "clean", "-qfd", "reports"], cwd=added, check=True)
    assert changed(added) == set()
    run(added, sys.executable, "-m", "tools.configurations")
    assert changed(added) == set()
