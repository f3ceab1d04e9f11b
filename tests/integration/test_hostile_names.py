"""What params.yaml calls a task or a corpus never runs as a command."""

import os
import re
import subprocess

import pytest
from ruamel.yaml import YAML

from tools.lock import DVC
from tools.pipeline import ROOT, definition

HOSTILE = ("a; touch {}", "$(touch {})", "`touch {}`", "a' ; touch {} ; '")
COMMANDS = [
    definition(stage)["cmd"]
    for stage in YAML(typ="safe").load(ROOT / "dvc.yaml")["stages"].values()
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_take_items_as_a_whole(command):
    """Their values are quoted then, unlike what is taken from them by name."""
    assert re.findall(r"\$\{.*?\}|\$", command) in ([], ["${item}"])


def test_names_reach_the_stages_as_they_are_and_are_refused(project_copy, warm):
    """Each that ran would leave a file called as its place in the list."""
    yaml = YAML()
    file = project_copy / "params.yaml"
    parameters = yaml.load(file)
    names = [name.format(f"ran-{place}") for place, name in enumerate(HOSTILE)]
    task, corpus = parameters["tasks"]["sentiment"], parameters["corpora"]["sentences"]
    parameters["run"]["tasks"] = names
    parameters["tasks"] |= {name: task for name in names}
    parameters["corpora"] = {name: corpus for name in names}
    yaml.dump(parameters, file)
    # What they depend on, so that DVC comes to their commands; `check` would refuse before.
    code = ("code/prepare.txt", "code/corpus-written.txt")
    for output in ("checked.txt", "encoders/arms.txt", "tagger/none", *code):
        (project_copy / "work" / output).parent.mkdir(parents=True, exist_ok=True)
        (project_copy / "work" / output).touch()
    said = [
        subprocess.run(
            [*DVC, "repro", "--keep-going", "--single-item", stage],
            cwd=project_copy,
            env=os.environ | warm,
            capture_output=True,
            text=True,
        ).stderr
        for stage in ("prepare", "corpus")
    ]
    for kind, refusals in zip(("task", "corpus"), said, strict=True):
        for name in names:
            assert f"{kind} {name!r}: a name has letters, digits and _ only" in refusals
    assert list(project_copy.rglob("ran-*")) == []
