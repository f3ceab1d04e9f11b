"""How much fine-tuning changes the maps of each head (Kovaleva et al. 2019, section 4.3, Figure 5).

The measure is the cosine similarity of a head's flattened maps before and after tuning, averaged
over the validation examples. Two variants: `cropped` compares the maps of the real tokens;
`padded`, as the original did, compares maps of a fixed length with the rows of the padding in them
(their columns are 0 in both models), which mixes in how a model treats padding.
"""

from collections.abc import Iterator

import torch
from pydantic import PositiveInt

from stages.core.control_seeds import control_seeds
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.maps.similarity import cosines_by_head, similarities
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, TUNED_FROM_RANDOM, UNTUNED
from stages.core.stage.places import examples_file, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import load_task, seeds_of
from stages.drift.tables import DRIFT

BEFORE = {TUNED: UNTUNED, TUNED_FROM_RANDOM: RANDOM_WEIGHTS}


class Drift(Resampled, section="drift"):
    """The section `drift` of `params.yaml`."""

    batch: PositiveInt
    padded_to: PositiveInt
    padded_examples: PositiveInt | None
    control_examples: PositiveInt | None


def run_stage(task: str, seed: int | None = None) -> None:
    """Compare every head's maps before and after fine-tuning on the validation examples of TASK."""
    parameters = section(Drift, "drift")
    definition = load_task(task)
    device = start(read_runtime(), parameters.seed)
    validation = read_examples(examples_file(task, "validation"))

    def compare(arm: str, seeds: list[int], variant: str, count: int | None) -> None:
        """Add the table of every fine-tuning of an arm, on `count` examples."""
        examples = draw_examples(validation, count, parameters.seed)
        pad_to = parameters.padded_to if variant == "padded" else None
        for alike, before in encoders_before(task, arm, seeds, device):
            tokenizer = load_tokenizer(model_folder(task, BEFORE[arm], alike[0]))
            encoded = encode(tokenizer, examples, definition.max_length)
            after = [load(task, arm, tuned_with, device) for tuned_with in alike]
            cosines = similarities(before, after, encoded, parameters.batch, device, pad_to)
            for tuned_with, of_seed in zip(alike, cosines, strict=True):
                heads = cosines_by_head(of_seed, parameters.resamples, parameters.seed)
                tables[tuned_with, arm, variant] = heads.assign(
                    seed=tuned_with, arm=arm, variant=variant
                )

    tables = {}
    seeds = seeds_of(task, seed)
    began_at_random = [number for number in control_seeds(seeds_of(task)) if number in seeds]
    compare(TUNED, seeds, "cropped", None)
    compare(TUNED, seeds, "padded", parameters.padded_examples)
    compare(TUNED_FROM_RANDOM, began_at_random, "cropped", parameters.control_examples)
    DRIFT.write([tables[key] for key in sorted(tables)], data=task)


def load(task: str, arm: str, seed: int, device: torch.device) -> Gated:
    """The model of one fine-tuning."""
    return Gated(load_tuned(model_folder(task, arm, seed)).to(device))


def encoders_before(
    task: str, arm: str, seeds: list[int], device: torch.device
) -> Iterator[tuple[list[int], Gated]]:
    """Yield the models before tuning, each with all seeds whose encoder has its weights.

    Untuned models of different seeds share the encoder, so their maps are equal.
    """
    left = {seed: load(task, BEFORE[arm], seed, device) for seed in seeds}
    while left:
        before = left[next(iter(left))]
        alike = [seed for seed, model in left.items() if same_encoder(model, before)]
        for seed in alike:
            del left[seed]
        yield alike, before


def same_encoder(first: Gated, second: Gated) -> bool:
    """Whether two models have the same weights in the encoder, which makes their maps."""
    weights, others = (gated.model.base_model.state_dict() for gated in (first, second))
    return weights.keys() == others.keys() and all(
        torch.equal(weights[name], others[name]) for name in weights
    )
