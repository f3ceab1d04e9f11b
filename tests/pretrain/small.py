"""A text and settings so small that an encoder is made of them in seconds."""

import json
from pathlib import Path

import numpy as np
from ruamel.yaml import YAML

from stages.pretrain.settings import Pretrain
from tools.pipeline import ROOT

# Every second character says which one follows it.
FOLLOWS = dict(zip("天地玄黄宇宙洪荒", "日月盈昃辰宿列张", strict=True))
SMALL = {
    "text": "texts.jsonl",
    "held_out": 6,
    "vocabulary": 80,
    "least_count": 1,
    "layers": 2,
    "heads": 2,
    "hidden": 16,
    "intermediate": 32,
    "max_length": 24,
    "dropout": 0.1,
    "precision": "fp32",
    "tokens": 96 * 40,
    "batch_tokens": 96,
    "evaluate_steps": 10,
}


def texts(count: int = 60, seed: int = 0) -> list[list[str]]:
    """Texts of one to three paragraphs."""
    generator = np.random.default_rng(seed)
    heads = np.array(list(FOLLOWS))
    found = []
    for _ in range(count):
        paragraphs = []
        for _ in range(generator.integers(1, 4)):
            drawn = generator.choice(heads, generator.integers(4, 12))
            paragraphs.append("".join(one + FOLLOWS[one] for one in drawn) + "。")
        found.append(paragraphs)
    return found


def settings(**changes: object) -> Pretrain:
    """The settings of params.yaml, small."""
    section = YAML(typ="safe").load(ROOT / "params.yaml")["pretrain"]
    return Pretrain(**{**section, **SMALL, **changes})


def write(folder: Path, checkpoint_steps: int = 5, **changes: object) -> None:
    """Write `params.yaml` and the text into a folder in which the stage can run."""
    section = settings(**changes).model_dump()
    runtime = {"device": "cpu", "threads": 1, "checkpoint_steps": checkpoint_steps}
    with (folder / "params.yaml").open("w", encoding="utf-8") as file:
        YAML().dump({"pretrain": section, "runtime": runtime}, file)
    lines = [
        json.dumps({"id": str(number), "paragraphs": paragraphs}, ensure_ascii=False)
        for number, paragraphs in enumerate(texts())
    ]
    (folder / "texts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
