"""From rows of options to scores and outcomes of questions, with all heads and without each."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int

from stages.core.encoder.batches import Batch, Encoded, fitting
from stages.core.heads.seam import Gated
from stages.core.pieces import digest_of, open_pieces, run_pieces
from stages.core.questions.loss import accuracies, choice_losses
from stages.core.runtime.runtime import Runtime
from stages.reading.conditions import Inputs, Version, different_rows

# Passes of one piece: there are few pieces, and a kill costs little.
PASSES_IN_PIECE = 16

Scores = Float[np.ndarray, " row"]
OfRows = Callable[[Encoded], Scores]


def score_rows(
    gated: Gated, encoded: Encoded, tokens: int, runtime: Runtime, run: Path, model: Path
) -> Float[np.ndarray, " row"]:
    """The score of every row.

    Args:
        tokens: number of tokens of one pass, padding included.
        runtime, run, model: as in `run_gates`.
    """
    lengths = encoded.lengths
    pieces = list(fitting(np.arange(len(lengths)), lengths, int, PASSES_IN_PIECE * tokens))
    jobs = {
        str(number): [encoded.batch(rows) for rows in fitting(piece, lengths, int, tokens)]
        for number, piece in enumerate(pieces)
    }
    identity = [tokens, PASSES_IN_PIECE, digest_of(encoded)]
    folder = open_pieces(run, identity, model, __name__, runtime)
    scores = np.empty(len(lengths), dtype=np.float32)
    of_pieces = run_pieces(_score_piece, gated, jobs, runtime, folder)
    for piece, (of_rows,) in zip(pieces, of_pieces, strict=True):
        scores[piece] = of_rows
    return scores


@torch.inference_mode()
def _score_piece(gated: Gated, batches: list[Batch]) -> tuple[Float[np.ndarray, " row"]]:
    """The scores of the rows of a piece, in the order of its batches."""
    device = gated.model.device
    scores = []
    for batch in batches:
        inputs = {name: ids.to(device) for name, ids in batch.inputs.items()}
        scores.append(gated(inputs)[:, 0].float().cpu().numpy())
    return (np.concatenate(scores),)


def outcomes_of(
    conditions: Mapping[Version, Inputs], score: OfRows
) -> dict[Version, Float[np.ndarray, " question"]]:
    """The chance that the reader takes the right option, by condition and question.

    Args:
        score: scores rows; it is called once, with the different rows of all conditions.
    """
    rows, numbers = different_rows(list(conditions.values()))
    scores = score(rows)
    return {
        condition: right_of(scores[of_condition], inputs)
        for (condition, inputs), of_condition in zip(conditions.items(), numbers, strict=True)
    }


def right_of(
    scores: Float[np.ndarray, " option"], inputs: Inputs
) -> Float[np.ndarray, " question"]:
    """1 if the right option has the highest score; a share if several have it; else 0."""
    right = accuracies(*_tensors(scores, inputs)).numpy().astype(float)
    # In float32 a third is more than a third.
    shares = np.rint(1 / np.maximum(right, 1e-6))
    return np.where(right > 0, 1 / shares, 0.0)


def probability_of_right(
    scores: Float[np.ndarray, " option"], inputs: Inputs
) -> Float[np.ndarray, " question"]:
    """The softmax of the scores of a question's options at the right one."""
    return (-choice_losses(*_tensors(scores, inputs))).exp().numpy().astype(float)


def _tensors(
    scores: Float[np.ndarray, " option"], inputs: Inputs
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    arrays = (scores, inputs.counts, inputs.answers)
    return tuple(torch.from_numpy(np.ascontiguousarray(array)) for array in arrays)


def outcomes_of_gates(
    scores: Float[np.ndarray, "gate row"],
    conditions: Mapping[Version, Inputs],
    numbers: list[Int[np.ndarray, " option"]],
) -> dict[Version, Float[np.ndarray, "2 gate question"]]:
    """Both outcomes of each question under each gate, in the order of `OUTCOMES_OF_HEADS`.

    Args:
        scores: of the rows that `different_rows` returns for the conditions.
        numbers: the rows of each condition among them.
    """
    outcomes = {}
    for (condition, inputs), of_condition in zip(conditions.items(), numbers, strict=True):
        lines = scores[:, of_condition]
        gates = [(right_of(line, inputs), probability_of_right(line, inputs)) for line in lines]
        outcomes[condition] = np.array(gates).swapaxes(0, 1)
    return outcomes
