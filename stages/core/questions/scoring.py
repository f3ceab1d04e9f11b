"""What a reader makes of questions: a score for each option, and the outcome of each question."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from transformers import PreTrainedModel

from stages.core.questions.batches import passes, rows_of_tokens
from stages.core.questions.inputs import Inputs
from stages.core.questions.loss import accuracies, by_question, choice_losses
from stages.core.questions.question import Question


def option_scores(
    model: PreTrainedModel,
    inputs: Inputs,
    tokens: int,
    device: torch.device,
    most_rows: Callable[[int, int], int] = rows_of_tokens,
) -> Float[np.ndarray, " option"]:
    """The score of every option, in float32; those of a question below each other.

    Args:
        model: a classifier of one output, in evaluation, on `device`.
        tokens: of one forward pass at most, padding counted.
        most_rows: see `batches.passes`.
    """
    scores = np.zeros(int(inputs.counts.sum()), dtype=np.float32)
    every = np.arange(len(inputs.counts))
    with torch.inference_mode():
        for part in passes(every, inputs.lengths, inputs.counts, tokens, most_rows):
            rows = inputs.rows_of(part)
            batch = inputs.encoded.batch(rows, device)
            scores[rows] = model(**batch.inputs).logits[:, 0].float().cpu().numpy()
    return scores


def outcomes(
    questions: Sequence[Question], inputs: Inputs, scores: Float[np.ndarray, " option"]
) -> pd.DataFrame:
    """One row a question, in order.

    Returns:
        id; options (how many); answer and prediction, places from 0; right, which is 1 or 0, or a
        share where options have the highest score together; loss, in nats.
    """
    values, counts, answers = map(torch.from_numpy, (scores, inputs.counts, inputs.answers))
    return pd.DataFrame(
        {
            "id": [question.id for question in questions],
            "options": inputs.counts,
            "answer": inputs.answers,
            "prediction": by_question(values, counts).argmax(dim=1).numpy(),
            "right": accuracies(values, counts, answers).numpy().astype(float),
            "loss": choice_losses(values, counts, answers).numpy().astype(float),
        }
    )
