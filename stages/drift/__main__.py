"""How much fine-tuning changes the maps of each head (Kovaleva et al. 2019, Section 4.3, Figure 5).

The measure is the cosine similarity of a head's flattened maps before and after tuning, averaged
over the validation examples. Two variants: `cropped` compares the maps of the real tokens;
`padded`, as the original did, compares maps of a fixed length with the rows of the padding in them
(their columns are 0 in both models), which mixes in what a model does with padding.
"""

from typing import Annotated

import pandas as pd
import typer
from pydantic import Field

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
from stages.core.heads.seam import Gated
from stages.core.maps.similarity import contrast_table, head_table, similarities
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import TUNED, UNTUNED
from stages.core.stage.command import stage_command
from stages.core.stage.files import atomic
from stages.core.stage.places import examples_file, model_folder
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import load_task


class Drift(Parameters):
    """The section `drift` of `params.yaml`."""

    batch: int = Field(gt=0)  # examples that go through together
    padded_to: int = Field(gt=0)  # tokens to which the variant `padded` fills up
    padded_examples: int | None = Field(gt=0)  # validation examples for `padded`; null: all
    last_layers: int = Field(gt=0)  # the layers at the end that are set against the others
    resamples: int = Field(gt=0)  # of the bootstrap
    seed: int = Field(ge=0)  # of the draw of examples and of the bootstrap


def main(
    task: Annotated[str, typer.Option(help="A task of `tasks` in params.yaml.")],
    seed: Annotated[int, typer.Option(help="The seed of the fine-tuned model.")],
) -> None:
    """Compare every head's maps before and after fine-tuning on the validation examples of TASK."""
    parameters = section(Drift, "drift")
    definition = load_task(task)
    device = start(read_runtime(), parameters.seed)
    folders = [model_folder(task, arm, seed) for arm in (UNTUNED, TUNED)]
    tokenizer = load_tokenizer(folders[0])
    before, after = (Gated(load_tuned(folder).to(device)) for folder in folders)
    validation = read_examples(examples_file(task, "validation"))
    some = draw_examples(validation, parameters.padded_examples, parameters.seed)
    variants = {"cropped": (validation, None), "padded": (some, parameters.padded_to)}

    heads, contrasts = [], []
    for variant, (examples, pad_to) in variants.items():
        encoded = encode(tokenizer, examples, definition.max_length)
        cosines = similarities(before, after, encoded, parameters.batch, device, pad_to)
        table = head_table(cosines, parameters.resamples, parameters.seed)
        heads.append(table.assign(variant=variant))
        table = contrast_table(cosines, examples["id"], parameters.last_layers)
        contrasts.append(table.assign(variant=variant))
    for name, tables in ((task, heads), (f"{task}-contrast", contrasts)):
        with atomic(f"work/measures/drift/{name}.parquet") as partial:
            pd.concat(tables, ignore_index=True).to_parquet(partial, index=False)


if __name__ == "__main__":
    stage_command(main)
