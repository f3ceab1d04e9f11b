"""Scores of options, by themselves and together, and what comes of each question by hand."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.inputs import encode_questions
from stages.core.questions.question import Question
from stages.core.questions.scoring import option_scores, outcomes

LONG = "the small dog sees a cat in the garden . a teacher reads the red book ."
QUESTIONS = [
    Question("q-0", "the dog", "who ?", ("a cat", "the dog"), 1),
    Question("q-1", LONG, "who reads _ ?", ("book", "the old house", "a cat"), 0),
    Question("q-2", "a cat sees .", "what ?", ("red", "old", "not good", "bad"), 3),
]
CPU = torch.device("cpu")


@pytest.fixture
def reader(tiny_bert: Path) -> PreTrainedModel:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return AutoModelForSequenceClassification.from_pretrained(tiny_bert, num_labels=1).eval()


@pytest.mark.parametrize("tokens", [1, 60, 4096])
def test_an_option_is_scored_as_by_itself(
    reader: PreTrainedModel, tiny_bert: Path, tokens: int
) -> None:
    tokenizer = load_tokenizer(tiny_bert)
    found = option_scores(reader, encode_questions(tokenizer, QUESTIONS, 60), tokens, CPU)
    alone = []
    for question in QUESTIONS:
        for place in range(len(question.options)):
            with torch.inference_mode():
                ids = tokenizer(*question.pair(place), return_tensors="pt")
                alone.append(reader(**ids).logits.item())
    np.testing.assert_allclose(found, alone, atol=1e-5)
    assert found.dtype == np.float32 and np.ptp(found) > 1e-2


def test_outcomes_by_hand(tiny_bert: Path) -> None:
    inputs = encode_questions(load_tokenizer(tiny_bert), QUESTIONS, 60)
    scores = np.array([1, 0, 2, 2, 0, 0, 0, 0, 3], dtype=np.float32)
    found = outcomes(QUESTIONS, inputs, scores)
    assert found["id"].tolist() == ["q-0", "q-1", "q-2"]
    assert found["options"].tolist() == [2, 3, 4]
    assert found["answer"].tolist() == [1, 0, 3]
    assert found["prediction"].tolist() == [0, 0, 3]
    assert found["right"].tolist() == [0, 0.5, 1]
    losses = [math.log(1 + math.e), math.log(2 + math.exp(-2)), math.log(1 + 3 * math.exp(-3))]
    assert found["loss"].tolist() == pytest.approx(losses, rel=1e-6)
