"""Models and pages of the viewer, and one browser for all of its tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from stages.core.encoder.tokenizer import load_tokenizer
from stages.view.view import write_view
from tests.browser.test_report import CHROMIUM
from tests.checkpoints import vary_biases, write_shaped
from tests.view.chromium import Browser

FIRST, SECOND = "the teacher likes dogs", "a child sees the river"
LONG_POSITIONS = 128


def write_classifier(encoder: Path, folder: Path, labels: list[str], seed: int = 0) -> Path:
    """A classifier of random weights on the configuration of an encoder, as `finetune` writes it.

    One label makes it a regression.
    """
    config = AutoConfig.from_pretrained(
        encoder,
        id2label=dict(enumerate(labels)),
        label2id={name: number for number, name in enumerate(labels)},
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModelForSequenceClassification.from_config(config)
        vary_biases(model, 0.3)
    model.save_pretrained(folder)
    load_tokenizer(encoder).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def classifiers(
    tiny_checkpoints: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """Makes the classifier of a family with some labels; the same one for the same arguments."""
    root = tmp_path_factory.mktemp("classifiers")
    made: dict[tuple, Path] = {}

    def make(family: str = "bert", labels: tuple[str, ...] = ("no", "yes"), seed: int = 0) -> Path:
        wanted = family, labels, seed
        if wanted not in made:
            folder = root / f"{family}-{len(made)}"
            made[wanted] = write_classifier(tiny_checkpoints[family], folder, list(labels), seed)
        return made[wanted]

    return make


@pytest.fixture(scope="session")
def twelve_by_twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder of 12 layers of 12 heads of 64 neurons, as bert-base has, with small networks."""
    folder = tmp_path_factory.mktemp("checkpoints") / "twelve"
    return write_shaped(folder, layers=12, heads=12, hidden=768, positions=LONG_POSITIONS)


@pytest.fixture(scope="session")
def pair_page(classifiers: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two classifiers of MiniLM's size on a pair of texts."""
    page = tmp_path_factory.mktemp("pages") / "pair.html"
    model, against = (str(classifiers("minilm", seed=seed)) for seed in (0, 1))
    write_view(FIRST, SECOND, model=model, against=against, output=page)
    return page


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One for all tests; without Chromium they are skipped."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on PATH")
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()
