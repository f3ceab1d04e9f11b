"""Losses and accuracies of questions with different numbers of options, by hand and by loops."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from stages.core.questions.loss import accuracies, by_question, choice_losses
from tests.core.questions.drawn import repeatable

COUNTS, ANSWERS = torch.tensor([2, 4, 3]), torch.tensor([1, 0, 2])
SCORES = torch.tensor([0.0, 1.0, 2.0, 2.0, 0.0, 0.0, -1.0, 5.0, 5.0])


@st.composite
def scored(draw):
    counts = draw(st.lists(st.integers(2, 5), min_size=1, max_size=6))
    answers = [draw(st.integers(0, count - 1)) for count in counts]
    scores = [draw(st.sampled_from([-3.0, 0.0, 0.5, 0.5, 2.0])) for _ in range(sum(counts))]
    return torch.tensor(scores), torch.tensor(counts), torch.tensor(answers)


def test_losses_by_hand():
    found = choice_losses(SCORES, COUNTS, ANSWERS)
    first = math.log(1 + math.exp(-1))
    second = math.log(2 + 2 * math.exp(-2))
    third = math.log(2 + math.exp(-6))
    assert found.tolist() == pytest.approx([first, second, third])


def test_accuracies_by_hand():
    assert accuracies(SCORES, COUNTS, ANSWERS).tolist() == [1, 0.5, 0.5]
    assert accuracies(SCORES, COUNTS, torch.tensor([0, 2, 0])).tolist() == [0, 0, 0]


@repeatable
@given(scored())
def test_each_question_is_as_by_itself(case):
    scores, counts, answers = case
    losses, right = choice_losses(*case), accuracies(*case)
    for number, own in enumerate(scores.split(counts.tolist())):
        alone = torch.nn.functional.cross_entropy(own[None], answers[number][None])
        torch.testing.assert_close(losses[number], alone)
        best = (own == own.max()).nonzero()[:, 0].tolist()
        assert right[number] == pytest.approx((int(answers[number]) in best) / len(best))


@repeatable
@given(scored(), st.floats(-50, 50))
def test_a_model_that_reads_nothing_is_at_chance(case, constant):
    _, counts, answers = case
    same = torch.full((int(counts.sum()),), constant)
    torch.testing.assert_close(accuracies(same, counts, answers), 1 / counts)
    torch.testing.assert_close(choice_losses(same, counts, answers), counts.log())


def test_scores_apart_by_rounding_alone_are_the_same():
    scores = torch.tensor([1.0, 1.0 + 2e-6, 0.5, 1.0])
    counts, answers = torch.tensor([4]), torch.tensor([0])
    assert accuracies(scores, counts, answers).item() == pytest.approx(1 / 3)
    assert accuracies(scores, counts, answers, same=0.0).item() == 0
    apart = torch.tensor([1.0, 1.001])
    assert accuracies(apart, torch.tensor([2]), answers).item() == 0


def test_gradients_pass_between_options_of_one_question_alone():
    scores = SCORES.clone().requires_grad_()
    choice_losses(scores, COUNTS, ANSWERS)[1].backward()
    assert scores.grad[:2].tolist() == [0, 0] and scores.grad[6:].tolist() == [0, 0, 0]
    assert scores.grad[2:6].sum().item() == pytest.approx(0, abs=1e-6)
    assert scores.grad[2] < 0 < scores.grad[3:6].min()


def test_half_precision_is_scored_in_float32():
    scores = torch.tensor([10.0, 10.0, 9.0, 0.0], dtype=torch.bfloat16)
    counts, answers = torch.tensor([4]), torch.tensor([0])
    found = choice_losses(scores, counts, answers)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, choice_losses(scores.float(), counts, answers))
    assert accuracies(scores, counts, answers).item() == 0.5


def test_rows_of_questions():
    rows = by_question(torch.arange(5.0), torch.tensor([2, 3]))
    assert rows.tolist() == [[0, 1, -math.inf], [2, 3, 4]]
