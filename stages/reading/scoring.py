"""From rows of options to what a reader takes: scores, outcomes of questions, each head off."""

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
from stages.reading.conditions import Condition, Inputs, different_rows

# Passes of one piece: there are few pieces, and a kill costs little.
PASSES_IN_PIECE = 16

Scores = Float[np.ndarray, " row"]
OfRows = Callable[[Encoded], Scores]


def score_rows(
    gated: Gated, encoded: Encoded, tokens: int, runtime: Runtime, run: Path, model: Path
) -> Float[np.ndarray, " row"]:
    """The score of every row.

    Args:
        tokens: that go through together, their padding counted.
        runtime, run, model: as `run_gates` has them.
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
    conditions: Mapping[Condition, Inputs], score: OfRows
) -> dict[Condition, Float[np.ndarray, " question"]]:
    """The chance that each question is answered rightly, under each condition.

    Args:
        score: is called once, with every row that any condition has.
    """
    rows, places = different_rows(list(conditions.values()))
    scores = score(rows)
    return {
        condition: right_of(scores[own], inputs)
        for (condition, inputs), own in zip(conditions.items(), places, strict=True)
    }


def right_of(
    scores: Float[np.ndarray, " option"], inputs: Inputs
) -> Float[np.ndarray, " question"]:
    """1 where the right option has the highest score, 0 where not, the chance of a draw in ties."""
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
    parts = (scores, inputs.counts, inputs.answers)
    return tuple(torch.from_numpy(np.ascontiguousarray(part)) for part in parts)


def outcomes_of_gates(
    scores: Float[np.ndarray, "gate row"],
    conditions: Mapping[Condition, Inputs],
    places: list[Int[np.ndarray, " option"]],
) -> dict[Condition, Float[np.ndarray, "2 gate question"]]:
    """Both outcomes of each question under each gate, in the order of `OUTCOMES_OF_HEADS`.

    Args:
        scores: of the rows that `different_rows` gave of the conditions, with their `places`.
    """
    found = {}
    for (condition, inputs), own in zip(conditions.items(), places, strict=True):
        gates = [
            (right_of(line[own], inputs), probability_of_right(line[own], inputs))
            for line in scores
        ]
        found[condition] = np.array(gates).swapaxes(0, 1)
    return found
