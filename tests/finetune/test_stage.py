"""A task's settings and its predictions."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoTokenizer

from stages.core.encoder.batches import encode
from stages.core.stage.files import InputError
from stages.core.tasks.task import Task
from stages.finetune.run import predict, task_settings
from stages.finetune.task_model import load_task_model

TASK = Task.model_validate(
    {
        "data": {"source": "written", "train": 1, "validation": 1, "seed": 0},
        "kind": "classification",
        "labels": 2,
        "metrics": ["accuracy", "f1"],
        "max_length": 32,
    }
)


def test_a_task_replaces_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "params.yaml").write_text("finetune: {epochs: 2, batch: 16}\n")
    monkeypatch.chdir(tmp_path)
    task = TASK.model_copy(update={"finetune": {"batch": 8}})
    settings = task_settings("own", task, torch.device("cpu"))
    assert (settings.epochs, settings.batch) == (2, 8)
    task = TASK.model_copy(update={"finetune": {"rate": 8}})
    with pytest.raises(InputError, match=r"tasks\.own\.finetune.*`rate`: unknown key"):
        task_settings("own", task, torch.device("cpu"))


def test_predictions_stand_in_the_order_of_the_examples(tiny_bert: Path) -> None:
    examples = pd.DataFrame(
        {
            "id": ["a", "b", "c"],
            "text_a": ["the dog", "an old small red house in the garden", "a cat"],
            "text_b": [None, None, None],
            "label": [0.0, 1.0, 1.0],
        }
    )
    model = load_task_model(tiny_bert, TASK, "tuned", 0)
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    encoded = encode(tokenizer, examples, 32)
    table = predict(model, encoded, examples, TASK, 2, torch.device("cpu"))
    assert table["id"].tolist() == ["a", "b", "c"]
    for row, text in enumerate(examples["text_a"]):
        alone = model(**tokenizer(text, return_tensors="pt")).logits[0].tolist()
        assert table.loc[row, ["logit_0", "logit_1"]].tolist() == pytest.approx(alone, abs=1e-5)
        assert table.loc[row, "prediction"] == float(np.argmax(alone))
