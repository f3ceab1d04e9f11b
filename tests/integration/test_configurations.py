"""Every configuration's parameters are what the stages accept, checked without running them."""

import pytest
from ruamel.yaml import YAML

from stages.ablate.__main__ import Ablate
from stages.ablate.effects import Effects
from stages.attend.__main__ import Attend
from stages.clusters.__main__ import Clusters
from stages.control.__main__ import Control
from stages.core.corpora.entries import load_corpus_entry
from stages.core.encoder.source import Checkpoint
from stages.core.runtime.runtime import Runtime
from stages.core.stage.settings import checked, section
from stages.core.tasks.task import load_task
from stages.core.verdicts.claims import Settings
from stages.coreference.__main__ import Coreference
from stages.drift.__main__ import Drift
from stages.encoder import EncoderArms
from stages.features.__main__ import Features
from stages.finetune.training import Finetune
from stages.frames.__main__ import Frames
from stages.gradients.__main__ import Gradients
from stages.importance.__main__ import Importance
from stages.neurons.__main__ import Neurons
from stages.pairs.__main__ import Pairs
from stages.patterns.__main__ import Patterns
from stages.patterns.classifier import Classifier
from stages.patterns.text_patterns import TextPatterns
from stages.probes.__main__ import Probes
from stages.surface.__main__ import Surface
from stages.syntax.__main__ import Syntax
from stages.tagger import TaggerSettings
from tools.lock import ROOT

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
    "encoder": EncoderArms,
    "tagger": TaggerSettings,
    "surface": Surface,
    "text_patterns": TextPatterns,
    "gradients": Gradients,
    "syntax": Syntax,
    "coreference": Coreference,
    "frames": Frames,
    "pairs": Pairs,
    "features": Features,
    "probes": Probes,
    "clusters": Clusters,
    "neurons": Neurons,
    "findings": Settings,
}
GLUE = {"mrpc", "stsb", "sst2", "qqp", "rte", "qnli", "mnli"}


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_every_section_is_accepted(file):
    content = YAML(typ="safe").load(file)
    assert set(content) == {"run", "tasks", "corpora", *SECTIONS}
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


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_every_corpus_is_accepted_and_those_that_a_study_takes_are_run(file):
    content = YAML(typ="safe").load(file)
    assert set(content["run"]["corpora"]) <= set(content["corpora"])
    for name in content["corpora"]:
        load_corpus_entry(name, file)
    for name, values in content.items():
        if name not in ("run", "corpora") and "corpora" in values:
            assert set(values["corpora"]) <= set(content["run"]["corpora"]), name


def test_bert_base_is_kovaleva_as_published():
    content = YAML(typ="safe").load(ROOT / "configurations" / "bert-base" / "params.yaml")
    assert set(content["run"]["tasks"]) == GLUE
    assert content["run"]["arms"] == ["none", "random", "pretrained", "untrained"]
    assert content["checkpoint"]["id"] == "google-bert/bert-base-uncased"
    settings = content["finetune"]
    assert (settings["epochs"], settings["batch"], settings["accumulation"]) == (3, 32, 1)
    mnli = content["tasks"]["mnli"]["data"]["splits"]
    assert mnli["validation"] == "validation_matched"
