"""How much fine-tuning changes the maps of each head (Kovaleva et al. 2019, Section 4.3, Figure 5).

The measure is the cosine similarity of a head's flattened maps before and after tuning, averaged
over the validation examples. Two variants: `cropped` compares the maps of the real tokens;
`padded`, as the original did, compares maps of a fixed length with the rows of the padding in them
(their columns are 0 in both models), which mixes in what a model does with padding.
"""

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

    heads, resampled = [], []
    for tuned_with in seeds_of(task, seed):
        folders = [model_folder(task, arm, tuned_with) for arm in (UNTUNED, TUNED)]
        tokenizer = load_tokenizer(folders[0])
        before, after = (Gated(load_tuned(folder).to(device)) for folder in folders)
        for variant, (examples, pad_to) in variants.items():
            encoded = encode(tokenizer, examples, definition.max_length)
            cosines = similarities(before, after, encoded, parameters.batch, device, pad_to)
            table, drawn = cosines_by_head(cosines, parameters.resamples, parameters.seed)
            heads.append(table.assign(variant=variant, seed=tuned_with))
            resampled.append(drawn)
    TUNED_HEADS.write(heads, resampled, task=task)
