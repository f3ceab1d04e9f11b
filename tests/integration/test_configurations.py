"""Every configuration's parameters are what the stages accept, checked without running them."""

import pytest
from ruamel.yaml import YAML

from stages.ablate import Ablate
from stages.attend import Attend
from stages.classifier import Classifier
from stages.control import Control
from stages.core.encoder.checkpoint_source import Checkpoint
from stages.core.machine.runtime import Runtime
from stages.core.project.parameters import checked, section
from stages.core.project.tasks import load_task
from stages.core.training import Finetune
from stages.core.verdicts.claims import Settings
from stages.drift import Drift
from stages.effects import Effects
from stages.importance import Importance
from stages.patterns import Patterns
from tests.lock import ROOT

FILES = [ROOT / "params.yaml", *sorted(ROOT.glob("configurations/*/params.yaml"))]
SECTIONS = {
    "runtime": Runtime,
    "checkpoint": Checkpoint,
    "finetune": Finetune,
    "attend": Attend,
    "classifier": Classifier,
    "patterns": Patterns,
    "drift": Drift,
    "ablate": Ablate,
    "control": Control,
    "effects": Effects,
    "importance": Importance,
    "findings": Settings,
}
GLUE = {"mrpc", "stsb", "sst2", "qqp", "rte", "qnli", "mnli"}


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_every_section_is_accepted(file):
    content = YAML(typ="safe").load(file)
    assert set(content) == {"run", "tasks", *SECTIONS}
    for name, model in SECTIONS.items():
        section(model, name, file)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_every_task_is_accepted_and_those_to_run_are_there(file):
    content = YAML(typ="safe").load(file)
    assert set(content["run"]["tasks"]) <= set(content["tasks"])
    for name in content["tasks"]:
        task = load_task(name, file)
        checked(Finetune, content["finetune"] | task.finetune, f"{file}: {name}")
    assert set(content["tasks"]) >= GLUE


def test_bert_base_is_kovaleva_as_published():
    content = YAML(typ="safe").load(ROOT / "configurations" / "bert-base" / "params.yaml")
    assert set(content["run"]["tasks"]) == GLUE
    assert content["run"]["arms"] == ["none", "random", "pretrained", "untrained"]
    assert content["checkpoint"]["id"] == "google-bert/bert-base-uncased"
    settings = content["finetune"]
    assert (settings["epochs"], settings["batch"], settings["accumulation"]) == (3, 32, 1)
    mnli = content["tasks"]["mnli"]["data"]["splits"]
    assert mnli["validation"] == "validation_matched"
