"""What all tests share: tiny models, and a report on synthetic measures."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from filelock import FileLock
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from stages.core.tasks.task import Task
from stages.core.verdicts.measures import Measures
from stages.finetune.task_model import load_task_model
from tests.checkpoints import TINY, vary_biases, write_tiny

# Files that take longest, in the order in which they begin: what begins last keeps one worker busy
# while the other has nothing left.
LONGEST = (
    "integration/test_pipeline.py",
    "integration/test_bert_base.py",
    "integration/test_ray.py",
    "finetune/test_runs.py",
    "integration/test_new_study.py",
    "integration/test_readme.py",
    "browser/test_plots.py",
    "integration/test_lock.py",
    "integration/test_hub.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Let beartype read annotations of `typing` that packages of others still have."""
    config.addinivalue_line(
        "filterwarnings", "ignore::beartype.roar.BeartypeDecorHintPep585DeprecationWarning"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest."""
    tests = Path(__file__).parent
    place = {tests / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


@pytest.fixture(scope="session")
def tiny_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with a tiny encoder and its tokenizer for each family."""
    root = tmp_path_factory.mktemp("checkpoints")
    for family in TINY:
        write_tiny(family, root / family)
    return {family: root / family for family in TINY}


@pytest.fixture(params=TINY)
def any_checkpoint(request: pytest.FixtureRequest, tiny_checkpoints: dict[str, Path]) -> Path:
    """Each of the tiny checkpoints in turn."""
    return tiny_checkpoints[request.param]


@pytest.fixture
def padded_classifier(
    any_checkpoint: Path,
) -> Callable[[list[int]], tuple[PreTrainedModel, dict[str, torch.Tensor]]]:
    """Makes a classifier of each family, and token ids of some lengths, padded to the longest."""

    def make(lengths: list[int]) -> tuple[PreTrainedModel, dict[str, torch.Tensor]]:
        width = max(lengths)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model = AutoModelForSequenceClassification.from_pretrained(any_checkpoint, num_labels=3)
            vary_biases(model, 0.3)
            ids = torch.randint(5, 40, (len(lengths), width))
        mask = torch.tensor([[1] * length + [0] * (width - length) for length in lengths])
        ids[mask == 0] = model.config.pad_token_id
        return model.eval(), {"input_ids": ids, "attention_mask": mask}

    return make


@pytest.fixture
def tiny_bert(tiny_checkpoints: dict[str, Path]) -> Path:
    """The folder of the tiny BERT: 2 layers of 4 heads."""
    return tiny_checkpoints["bert"]


@pytest.fixture
def tiny_bert_copy(tiny_bert: Path, tmp_path: Path) -> Path:
    """A copy of the tiny BERT's folder, free to be spoilt."""
    return shutil.copytree(tiny_bert, tmp_path / "copy")


@pytest.fixture(scope="session")
def tiny_bert_without_dropout(
    tiny_checkpoints: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The tiny BERT without dropout, so that two ways of training it can be held together."""
    folder = tmp_path_factory.mktemp("checkpoints") / "bert-without-dropout"
    shutil.copytree(tiny_checkpoints["bert"], folder)
    settings = json.loads((folder / "config.json").read_text())
    settings |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture(scope="session")
def synthetic_reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration of synthetic measures with its findings and report, for all workers."""
    from tests.synthetic_measures import build_reports  # only these tests need its imports

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "synthetic"
    with FileLock(shared / "synthetic.lock"):
        if not (folder / "reports/site/index.html").exists():
            folder.mkdir(exist_ok=True)
            build_reports(folder)
    return folder


@pytest.fixture
def tiny_classifier(tiny_checkpoints: dict[str, Path]) -> PreTrainedModel:
    """A classifier of three classes on the smallest MiniLM, before tuning."""
    task = Task.model_validate(
        {
            "data": {"source": "written", "train": 1, "validation": 1, "seed": 0},
            "kind": "classification",
            "labels": 3,
            "metrics": ["accuracy"],
            "max_length": 32,
        }
    )
    return load_task_model(tiny_checkpoints["minilm"], task, "untuned", 0)


@pytest.fixture
def measures(tmp_path: Path) -> Measures:
    """A configuration of two tasks, four arms and two seeds that has measured nothing yet."""
    tasks = {"one": "accuracy", "two": "accuracy"}
    arms = ["untuned", "tuned_from_random", "tuned", "random_weights"]
    return Measures(tmp_path, tasks, arms, {task: [0, 1] for task in tasks})
