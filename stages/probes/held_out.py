"""What probes predict of sentences that they were not trained on.

Fits run side by side in threads of this process: each is a chain of small steps, which leaves
cores idle. A fit has as many threads of torch as it would have alone, so that it ends in the same
weights.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from stages.core.intervals.held_out import halves
from stages.core.stage.files import InputError
from stages.probes.fitting import Fit, fit, predict
from stages.probes.sentences import Sentence, SentenceBatch, batches
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
    jobs = [
        (division, variant)
        for division in _prepared(tested, taught, table, parameters)
        for variant in wanted
    ]
    threads = torch.get_num_threads()
    # Those with most weights first, or the last of them would run alone.
    jobs.sort(key=lambda job: (job[1].with_attention, job[1].with_words), reverse=True)
    # A new thread would have torch's own number of threads.
    with ThreadPoolExecutor(threads, "fit", torch.set_num_threads, (threads,)) as pool:
        told = list(pool.map(lambda job: _told(*job, tested, parameters), jobs))
    heads = {variant: [torch.empty(0)] * len(tested) for variant in wanted}
    ends: dict[Variant, list[Fit]] = {variant: [] for variant in wanted}
    for (division, variant), (rows, found) in zip(jobs, told, strict=True):
        ends[variant] += [found] if found else []
        for place, row in zip(division.places, rows, strict=True):
            heads[variant][place] = row
    return {
        variant: Prediction(
            heads[variant],
            max((found.steps for found in ends[variant]), default=0),
            all(found.converged for found in ends[variant]),
        )
        for variant in wanted
    }


@dataclass(frozen=True)
class Division:
    """What is trained on, with vectors for these sentences, and the places of what is tested."""

    taught: list[SentenceBatch]
    places: list[int]
    vectors: Float[Tensor, "vector size"]
    constant: Float[Tensor, "vector 1"]


def _prepared(
    tested: list[Sentence],
    taught: list[Sentence] | None,
    table: Float[Tensor, "vector size"] | None,
    parameters: Probes,
) -> list[Division]:
    """The divisions with their batches, and the vectors as what is trained on has them."""
    found = []
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
        found.append(Division(parts, places, vectors, constant))
    return found


def _told(
    division: Division, variant: Variant, tested: list[Sentence], parameters: Probes
) -> tuple[list[Tensor], Fit | None]:
    """The heads that one probe predicts after one fit, and the fit, of a probe that has weights."""
    own = division.vectors if variant.with_words else division.constant
    probe = variant.probe(own.shape[1], division.taught)
    found = None
    if probe.shapes:
        found = fit(
            probe,
            division.taught,
            own,
            parameters.penalty,
            parameters.iterations,
            parameters.seed,
        )
    asked = [tested[place] for place in division.places]
    return predict(probe, found.weights if found else [], asked, own), found
