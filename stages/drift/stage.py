"""How much fine-tuning changes the maps of each head (Kovaleva et al. 2019, Section 4.3, Figure 5).

The measure is the cosine similarity of a head's flattened maps before and after tuning, averaged
over the validation examples. Two variants: `cropped` compares the maps of the real tokens;
`padded`, as the original did, compares maps of a fixed length with the rows of the padding in them
(their columns are 0 in both models), which mixes in what a model does with padding. The control,
an encoder that was tuned from random weights, is compared cropped alone.
"""

from collections.abc import Iterator

import torch
from pydantic import PositiveInt

from stages.core.control_seeds import tuned_arms
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.maps.similarity import cosines_by_head, similarities
from stages.core.maps.tables import TUNED_HEADS
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, TUNED_FROM_RANDOM, UNTUNED, Arm
from stages.core.stage.places import examples_file, model_folder
from stages.core.stage.settings import Parameters, Resampled, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import load_task

BEFORE: dict[Arm, Arm] = {TUNED: UNTUNED, TUNED_FROM_RANDOM: RANDOM_WEIGHTS}


class ControlExamples(Parameters):
    """What the arm `tuned_from_random` has in place of the settings of `tuned`."""

    batch: PositiveInt
    examples: PositiveInt | None


class Drift(Resampled, section="drift"):
    """The section `drift` of `params.yaml`."""

    batch: PositiveInt
    padded_to: PositiveInt
    padded_examples: PositiveInt | None
    control: ControlExamples


def run_stage(task: str, seed: int | None = None) -> None:
    """Compare every head's maps before and after fine-tuning on the validation examples of TASK."""
    parameters = section(Drift, "drift")
    definition = load_task(task)
    device = start(read_runtime(), parameters.seed)
    validation = read_examples(examples_file(task, "validation"))
    some = draw_examples(validation, parameters.padded_examples, parameters.seed)
    few = draw_examples(validation, parameters.control.examples, parameters.seed)
    of_tuned = {"cropped": (validation, None), "padded": (some, parameters.padded_to)}
    variants_of = {TUNED: of_tuned, TUNED_FROM_RANDOM: {"cropped": (few, None)}}
    batches = {TUNED: parameters.batch, TUNED_FROM_RANDOM: parameters.control.batch}

    models = tuned_arms(task, seed)
    tables = {}
    for arm, variants in variants_of.items():
        arm_seeds = [number for other, number in models if other == arm]
        for seeds, before in before_tuning(task, arm, arm_seeds, device):
            tokenizer = load_tokenizer(model_folder(task, BEFORE[arm], seeds[0]))
            folders = [model_folder(task, arm, number) for number in seeds]
            after = [Gated(load_tuned(folder).to(device)) for folder in folders]
            for variant, (examples, pad_to) in variants.items():
                encoded = encode(tokenizer, examples, definition.max_length)
                cosines = similarities(before, after, encoded, batches[arm], device, pad_to)
                for number, of_seed in zip(seeds, cosines, strict=True):
                    table, drawn = cosines_by_head(of_seed, parameters.resamples, parameters.seed)
                    table = table.assign(variant=variant, arm=arm, seed=number)
                    tables[arm, number, variant] = (table, drawn)
    ordered = [tables[arm, number, name] for arm, number in models for name in variants_of[arm]]
    heads, resampled = zip(*ordered, strict=True)
    TUNED_HEADS.write(list(heads), list(resampled), task=task)


def before_tuning(
    task: str, arm: Arm, seeds: list[int], device: torch.device
) -> Iterator[tuple[list[int], Gated]]:
    """Yield the models before tuning, each with all seeds whose encoder has its weights.

    Untuned models of different seeds share the encoder, so their maps are equal. Random weights
    differ.

    Args:
        arm: the arm after tuning.
    """
    left = {
        number: Gated(load_tuned(model_folder(task, BEFORE[arm], number)).to(device))
        for number in seeds
    }
    while left:
        before = left[next(iter(left))]
        alike = [number for number, model in left.items() if same_encoder(model, before)]
        for number in alike:
            del left[number]
        yield alike, before


def same_encoder(one: Gated, other: Gated) -> bool:
    """Whether two models have the same weights in the encoder, of which their maps are made."""
    weights, others = (gated.model.base_model.state_dict() for gated in (one, other))
    return weights.keys() == others.keys() and all(
        torch.equal(weights[name], others[name]) for name in weights
    )
