"""The Hub's protocol for real: data sets and checkpoints from a stand-in on the loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from datasets import ClassLabel, Dataset, Features, Value

from tests.integration.hub import COMMIT, serving

REPOSITORY = Path(__file__).parents[2]
CARD = """---
configs:
- config_name: pairs
  data_files:
  - {split: train, path: pairs/train.parquet}
  - {split: validation_matched, path: pairs/validation.parquet}
---
"""
# Reads entries from standard input; writes what came of each.
CLIENT = """
import json, sys
import stages
from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.stage.settings import checked
from stages.prepare.sources import read_source
from stages.core.tasks.task import Task

def outcome(entry):
    try:
        if "kind" not in entry:
            return sorted(path.name for path in locate(checked(Checkpoint, entry, "")).iterdir())
        frames = read_source("pairs", checked(Task, entry, ""))
        return {split: frame[["id", "text_b", "label"]].values.tolist()
                for split, frame in frames.items()}
    except ValueError as error:
        return f"{type(error).__name__}: {error}"

print(json.dumps([outcome(entry) for entry in json.load(sys.stdin)]))
"""


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory, tiny_bert_folder: Path) -> Iterator[str]:
    """The address of a Hub with one data set of pairs and one encoder."""
    root = tmp_path_factory.mktemp("hub")
    data = root / "datasets" / "org" / "toys"
    features = Features(
        {
            "premise": Value("string"),
            "hypothesis": Value("string"),
            "label": ClassLabel(names=["yes", "no"]),
        }
    )
    for split, labels in {"train": [0, 1, 0, 1, 0, 1], "validation": [1, 0, -1]}.items():
        texts = [f"{split} {number}" for number in range(len(labels))]
        columns = {"premise": texts, "hypothesis": ["the dog"] * len(labels), "label": labels}
        (data / "pairs").mkdir(parents=True, exist_ok=True)
        Dataset.from_dict(columns, features).to_parquet(data / "pairs" / f"{split}.parquet")
    (data / "README.md").write_text(CARD)
    model = root / "models" / "org" / "encoder"
    model.mkdir(parents=True)
    for file in tiny_bert_folder.iterdir():
        (model / file.name).write_bytes(file.read_bytes())
    (model / "pytorch_model.bin").write_bytes(b"pickled")
    (model / "onnx").mkdir()
    (model / "onnx" / "model.onnx").write_bytes(b"other")
    with serving(root) as address:
        yield address


@pytest.fixture(scope="module")
def tiny_bert_folder(tiny_checkpoints: dict[str, Path]) -> Path:
    return tiny_checkpoints["bert"]


def ask(endpoint: str, home: Path, *entries: dict[str, Any], **environment: str) -> list[Any]:
    """What a fresh process makes of the entries with this Hub alone and its cache in `home`."""
    settings = {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    process = subprocess.run(
        [sys.executable, "-c", CLIENT],
        input=json.dumps(entries),
        env=os.environ | settings | environment,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


def task(**data: Any) -> dict[str, Any]:
    return {
        "data": {
            "source": "hub",
            "path": "org/toys",
            "name": "pairs",
            "splits": {"train": "train", "validation": "validation_matched"},
            "columns": {"text_a": "premise", "text_b": "hypothesis", "label": "label"},
            "bad_rows": "skip",
            **data,
        },
        "kind": "classification",
        "labels": ["no", "yes"],  # the Hub's names in another order
        "metrics": ["accuracy"],
    }


def encoder(**changes: str) -> dict[str, str]:
    return {"source": "hub", "id": "org/encoder", "revision": "main"} | changes


def test_data_sets_and_checkpoints(endpoint: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    whole, drawn, pinned, model = ask(
        endpoint,
        home,
        task(),
        task(train=3, seed=5),
        task(revision=COMMIT),
        encoder(),
    )
    assert [label for *_, label in whole["train"]] == [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]  # by name
    assert [name for name, *_ in whole["validation"]] == ["validation-0", "validation-1"]
    assert {text for _, text, _ in whole["train"]} == {"the dog"}
    assert len(drawn["train"]) == 3
    assert all(row in whole["train"] for row in drawn["train"])
    assert pinned == whole
    assert "model.safetensors" in model
    assert not {"pytorch_model.bin", "onnx"} & set(model)  # neither read nor downloaded

    # What is in the cache needs no Hub; the rest says that it does.
    cached, cached_model, unreached, unreached_model = ask(
        "http://127.0.0.1:9",
        home,
        task(),
        encoder(),
        task(path="org/others"),
        encoder(id="org/others"),
        HF_HUB_OFFLINE="1",
    )
    assert (cached, cached_model) == (whole, model)
    assert "cannot be reached" in unreached
    assert "HF_ENDPOINT" in unreached
    assert "cannot be reached" in unreached_model


def test_what_the_hub_lacks(endpoint: str, tmp_path: Path) -> None:
    unnamed = task() | {"labels": ["entailment", "other"]}
    answers = ask(
        endpoint,
        tmp_path,
        task(path="org/nothing"),
        task(name="triples"),
        task(splits={"train": "train", "validation": "test"}),
        task(columns={"text_a": "sentence", "label": "label"}),
        task(bad_rows="stop"),
        task(revision="v9"),
        unnamed,
        encoder(id="org/nothing"),
        encoder(revision="v9"),
    )
    expected = [
        "mend `path`",
        "mend `name` or `splits`",
        "mend `name` or `splits`",
        "its columns are ['premise', 'hypothesis', 'label']",
        "row 2: unknown label -1 (the Hub's sign for a label kept secret)",
        "`revision`",
        "use these names",
        "mend `checkpoint.id`",
        "mend `checkpoint.revision`",
    ]
    for answer, words in zip(answers, expected, strict=True):
        assert isinstance(answer, str), answer
        assert answer.startswith("InputError: "), answer
        assert words in answer
