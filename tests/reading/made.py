"""Questions by hand, readers with known answers, and tiny ones, in a folder of their own."""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
from ruamel.yaml import YAML
from transformers import AutoModelForSequenceClassification

from stages.core.encoder.batches import Encoded
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.places import questions_file, reader_folder
from stages.core.questions.question import Question, write_questions
from stages.core.questions.tables import READER_RUNS

# Words of the tiny vocabularies. The passage has every word of the right option and none of the
# others; two questions share it.
PASSAGE = "the old dog sees a small cat in the garden . a child never reads the red book ."
QUESTIONS = [
    Question("q-0", PASSAGE, "who likes _ ?", ("song teacher", "small cat", "river house"), 1),
    Question("q-1", PASSAGE, "who finds it ?", ("dog", "teacher", "house"), 0),
    Question("q-2", "the teacher likes the big river .", "not ?", ("book dog", "river"), 1),
    Question("q-3", "a child reads on . the cat !", "not ?", ("house", "book song", "child"), 2),
]
TASK = {
    "data": {"source": "written", "train": 8, "validation": 8, "seed": 0},
    "kind": "choice",
}
READING = {
    "examples": None,
    "least_degree": 0.65,
    "shuffle_seed": 3,
    "length": "words",
    "head_attacks": ["AddSent2Pas-Shuffle", "AddAns2Opt-Shuffle"],
    "head_examples": None,
    "cls_examples": 6,
    "precision": "fp32",
    "tokens": 200,
    "batch": 4,
    "map_batch": 4,
    "resamples": 20,
    "seed": 0,
}


def questions(count: int) -> list[Question]:
    """The questions of above again and again, each time with another passage."""
    return [
        Question(f"{one.id}-{row}", f"{'book ' * (row // 4)}{one.passage}", *_rest(one))
        for row in range(count)
        for one in [QUESTIONS[row % 4]]
    ]


def _rest(one: Question) -> tuple[str, tuple[str, ...], int]:
    return one.question, one.options, one.answer


def write_project(
    checkpoint: Path, count: int, readers: list[str], max_length: int = 60, **changed: object
) -> None:
    """Write params.yaml, questions `toy`, and readers of random weights of their own."""
    runtime = {"device": "cpu", "threads": 1, "workers": 0}
    with Path("params.yaml").open("w") as stream:
        tasks = {"toy": TASK | {"max_length": max_length}}
        YAML().dump({"runtime": runtime, "tasks": tasks, "reading": READING | changed}, stream)
    write_questions(questions(count), questions_file("toy", "validation"))
    keys = [name.rpartition("-")[::2] for name in readers]
    facts = dict.fromkeys(READER_RUNS.columns, 0)
    rows = [facts | {"arm": arm, "seed": int(seed)} for arm, seed in keys]
    READER_RUNS.write(pd.DataFrame(rows), data="toy")
    for number, (arm, seed) in enumerate(keys):
        folder = reader_folder("toy", arm, int(seed))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(number)
            model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=1)
            for parameter in model.parameters():
                parameter.data += 0.1 * torch.randn_like(parameter)
        model.save_pretrained(folder)
        load_tokenizer(checkpoint).save_pretrained(folder)


def reads_nothing(encoded: Encoded) -> np.ndarray:
    """The same score for every row."""
    return np.zeros(len(encoded.lengths), dtype=np.float32)


class Matches:
    """Scores a row by how many tokens of its second text stand in its first one."""

    def __init__(self, tokenizer):
        self.special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}

    def __call__(self, encoded: Encoded) -> np.ndarray:
        found = []
        lines = zip(encoded.inputs["input_ids"], encoded.segments, strict=True)
        for ids, segments in lines:
            first, second = (
                [token for token, own in zip(ids, segments, strict=True) if own == text]
                for text in (0, 1)
            )
            found.append(sum(token in set(first) - self.special for token in second))
        return np.array(found, dtype=np.float32)
