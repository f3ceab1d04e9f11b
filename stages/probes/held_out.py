"""What probes predict of sentences that they were not trained on."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from stages.core.intervals.held_out import halves
from stages.core.stage.files import InputError
from stages.probes.fitting import fit, predict
from stages.probes.sentences import Sentence, batches
from stages.probes.settings import Probes
from stages.probes.variants import Variant
from stages.probes.vectors import standardised


@dataclass(frozen=True)
class Prediction:
    """The heads that a probe predicts in every sentence, and how its fits ended."""

    heads: list[Tensor]
    steps: int
    converged: bool


def divisions(
    tested: list[Sentence], taught: list[Sentence] | None, seed: int
) -> list[tuple[list[Sentence], list[int]]]:
    """What is trained on, and the places of the sentences that are tested then.

    Without `taught` each half of the groups is tested after training on the other. A sentence of
    `taught` whose words are those of a tested one is left out.

    Raises:
        InputError: nothing of `taught` is left.
    """
    if taught is None:
        sides = halves(np.array([sentence.group for sentence in tested]), seed)
        return [
            (
                [tested[place] for place in np.flatnonzero(sides != side)],
                np.flatnonzero(sides == side).tolist(),
            )
            for side in (0, 1)
        ]
    known = {sentence.forms for sentence in tested}
    left = [sentence for sentence in taught if sentence.forms not in known]
    if not left:
        raise InputError(
            "params.yaml: every sentence of `probes.train_on` is tested too; name another corpus"
        )
    return [(left, list(range(len(tested))))]


def predictions(
    tested: list[Sentence],
    taught: list[Sentence] | None,
    table: Float[Tensor, "vector size"] | None,
    parameters: Probes,
    wanted: Iterable[Variant],
) -> dict[Variant, Prediction]:
    """What each probe predicts of sentences that it was not trained on."""
    wanted = list(wanted)
    heads = {variant: [torch.empty(0)] * len(tested) for variant in wanted}
    ends: dict[Variant, list[tuple[int, bool]]] = {variant: [] for variant in wanted}
    for training, places in divisions(tested, taught, parameters.seed):
        parts = [part for _, part in batches(training)]
        counts = sum(
            torch.bincount(part.words[part.scored], minlength=1 if table is None else len(table))
            for part in parts
        )
        constant = torch.ones(len(counts), 1)
        vectors = (
            constant
            if table is None
            else standardised(table, counts.float(), parameters.vector_size)
        )
        for variant in wanted:
            own = vectors if variant.with_words else constant
            probe = variant.probe(own.shape[1], parts)
            weights: list[Tensor] = []
            if probe.shapes:
                found = fit(
                    probe, parts, own, parameters.penalty, parameters.iterations, parameters.seed
                )
                weights = found.weights
                ends[variant].append((found.steps, found.converged))
            told = predict(probe, weights, [tested[place] for place in places], own)
            for place, row in zip(places, told, strict=True):
                heads[variant][place] = row
    return {
        variant: Prediction(
            heads[variant],
            max((steps for steps, _ in ends[variant]), default=0),
            all(converged for _, converged in ends[variant]),
        )
        for variant in wanted
    }
