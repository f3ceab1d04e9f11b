"""From a score for each option to the loss and the accuracy of each question.

The scores of many questions, which may have different numbers of options, stand below each other;
`counts` says how many belong to each question.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

# Scores nearer than this are the same: equal texts at other places of a batch come out as far
# apart by rounding in float32.
SAME = 1e-5


def by_question(
    scores: Float[Tensor, " option"], counts: Int[Tensor, " question"]
) -> Float[Tensor, "question place"]:
    """The scores of each question in a row; places that it has no option for are minus infinity."""
    most = int(counts.max())
    has = torch.arange(most, device=scores.device) < counts[:, None]
    rows = scores.new_full((len(counts), most), float("-inf"))
    return rows.masked_scatter(has, scores)


def choice_losses(
    scores: Float[Tensor, " option"],
    counts: Int[Tensor, " question"],
    answers: Int[Tensor, " question"],
) -> Float[Tensor, " question"]:
    """Cross-entropy of the softmax over each question's options, in nats (Si et al. 2019).

    Computed in float32 at least. `answers` are places within the question, from 0.
    """
    probabilities = by_question(at_least_float32(scores), counts).log_softmax(dim=1)
    return -probabilities.gather(1, answers[:, None])[:, 0]


def accuracies(
    scores: Float[Tensor, " option"],
    counts: Int[Tensor, " question"],
    answers: Int[Tensor, " question"],
    same: float = SAME,
) -> Float[Tensor, " question"]:
    """The chance that whoever takes an option of the highest score takes the right one.

    One or zero as a rule. Options that share the highest score are taken equally often, so that
    scores which are all the same come out at chance, and not at the share of first options.

    Args:
        same: scores that are not further than this below the highest share it with it.
    """
    rows = by_question(at_least_float32(scores), counts)
    highest = rows >= rows.amax(dim=1, keepdim=True) - same
    right = highest.gather(1, answers[:, None])[:, 0]
    return right / highest.sum(dim=1)


def at_least_float32(scores: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Half precision becomes float32; float64 stays."""
    return scores.to(torch.promote_types(scores.dtype, torch.float32))
