"""Questions whose right option repeats the one noun of the passage: without it all are alike."""

import itertools
from pathlib import Path

import numpy as np
from ruamel.yaml import YAML

from stages.core.questions.places import questions_file
from stages.core.questions.question import Question, write_questions

NOUNS = ("dog", "cat", "book")
ADJECTIVES = ("red", "small", "old", "good", "bad")


def passage(noun: str, generator: np.random.Generator) -> str:
    """Adjectives before the noun, few or many."""
    words = generator.choice(ADJECTIVES, generator.integers(1, 9))
    return " ".join(["the", *words, noun, "."])


def drawn_questions(split: str, count: int) -> list[Question]:
    """With two options or three, in any order."""
    generator = np.random.default_rng(len(split))
    questions = []
    for number in range(count):
        options = generator.permutation(NOUNS)[: generator.integers(2, 4)].tolist()
        answer = int(generator.integers(len(options)))
        text = passage(options[answer], generator)
        options = tuple(f"the {noun}" for noun in options)
        questions.append(Question(f"{split}-{number}", text, "what ?", options, answer))
    return questions


def every_question() -> list[Question]:
    """Every order of options with every one of them right, once.

    So whoever does not read the passage is at chance exactly, whatever it prefers.
    """
    generator = np.random.default_rng(7)
    orders = [order for size in (2, 3) for order in itertools.permutations(NOUNS, size)]
    return [
        Question(f"{number}-{answer}", passage(order[answer], generator), "what ?", options, answer)
        for number, order in enumerate(orders)
        for options in [tuple(f"the {noun}" for noun in order)]
        for answer in range(len(order))
    ]


PARAMETERS = {
    "run": {"seeds": [0], "control_seeds": 1},
    "runtime": {"device": "cpu", "threads": 1, "checkpoint_steps": 1000},
    "finetune": {"batch": 8, "learning_rate": 1e-3, "epochs": 1, "dropout": 0.1, "length_pool": 3},
    "readers": {
        "tasks": ["toy"],
        "unanswerable": [],
        "unanswerable_seeds": 1,
        "least_degree": 0.65,
        "shuffle_seed": 0,
    },
    "tasks": {
        "toy": {
            "data": {"source": "written", "train": 44, "validation": 30, "seed": 0},
            "kind": "choice",
            "metrics": ["accuracy"],
            "max_length": 40,
        }
    },
}


class Project:
    """The current folder, with questions and settings that calls change."""

    def __init__(self, checkpoint: Path, count: int = 44):
        own = {"checkpoint": {"source": "folder", "path": str(checkpoint)}}
        self.parameters = PARAMETERS | own
        write_questions(drawn_questions("train", count), questions_file("toy", "train"))
        write_questions(every_question(), questions_file("toy", "validation"))
        self.change("finetune")

    def change(self, section: str, **values: object) -> None:
        self.parameters[section] = self.parameters[section] | values
        YAML().dump(self.parameters, Path("params.yaml"))
