"""How much fine-tuning changes the maps of each head (Kovaleva et al. 2019, Section 4.3, Figure 5).

The measure is the cosine similarity of a head's flattened maps before and after tuning, averaged
over the validation examples. Two variants: `cropped` compares the maps of the real tokens;
`padded`, as the original did, compares maps of a fixed length with the rows of the padding in them
(their columns are 0 in both models), which mixes in what a model does with padding.
"""

from collections.abc import Iterator

import torch
from pydantic import PositiveInt

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.maps.similarity import cosines_by_head, similarities
from stages.core.maps.tables import TUNED_HEADS
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import TUNED, UNTUNED
from stages.core.stage.places import examples_file, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import load_task, seeds_of


class Drift(Resampled, section="drift"):
    """The section `drift` of `params.yaml`."""

    batch: PositiveInt
    padded_to: PositiveInt
    padded_examples: PositiveInt | None


def run_stage(task: str, seed: int | None = None) -> None:
    """Compare every head's maps before and after fine-tuning on the validation examples of TASK."""
    parameters = section(Drift, "drift")
    definition = load_task(task)
    device = start(read_runtime(), parameters.seed)
    validation = read_examples(examples_file(task, "validation"))
    some = draw_examples(validation, parameters.padded_examples, parameters.seed)
    variants = {"cropped": (validation, None), "padded": (some, parameters.padded_to)}

    found = {}
    for seeds, before in untuned(task, seeds_of(task, seed), device):
        tokenizer = load_tokenizer(model_folder(task, UNTUNED, seeds[0]))
        after = [Gated(load_tuned(model_folder(task, TUNED, own)).to(device)) for own in seeds]
        for variant, (examples, pad_to) in variants.items():
            encoded = encode(tokenizer, examples, definition.max_length)
            cosines = similarities(before, after, encoded, parameters.batch, device, pad_to)
            for own, of_seed in zip(seeds, cosines, strict=True):
                table, drawn = cosines_by_head(of_seed, parameters.resamples, parameters.seed)
                found[own, variant] = (table.assign(variant=variant, seed=own), drawn)
    ordered = [found[own, variant] for own in seeds_of(task, seed) for variant in variants]
    heads, resampled = zip(*ordered, strict=True)
    TUNED_HEADS.write(list(heads), list(resampled), task=task)


def untuned(task: str, seeds: list[int], device: torch.device) -> Iterator[tuple[list[int], Gated]]:
    """Yield the models before tuning, each with all seeds whose encoder has its weights.

    Seeds differ in the fresh classifier, and so in no map.
    """
    left = {own: Gated(load_tuned(model_folder(task, UNTUNED, own)).to(device)) for own in seeds}
    while left:
        before = left[next(iter(left))]
        alike = [own for own, model in left.items() if same_encoder(model, before)]
        for own in alike:
            del left[own]
        yield alike, before


def same_encoder(one: Gated, other: Gated) -> bool:
    """Whether two models have the same weights in the encoder, of which their maps are made."""
    weights, others = (gated.model.base_model.state_dict() for gated in (one, other))
    return weights.keys() == others.keys() and all(
        torch.equal(weights[name], others[name]) for name in weights
    )
