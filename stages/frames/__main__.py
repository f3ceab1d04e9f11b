"""Which heads link a predicate and its frame elements (Kovaleva et al. 2019, section 4.2)."""

from typing import Annotated

import torch
import typer
from pydantic import NonNegativeInt, PositiveInt

from stages.core.maps.links import Link, best_table, head_table, linked_weights
from stages.core.maps.recording import Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError
from stages.core.stage.settings import Parameters, section
from stages.core.stage.tables import write_tables


class Frames(Parameters):
    """The section `frames` of `params.yaml`."""

    corpora: list[str]  # keys of `corpora`, with frames
    resamples: PositiveInt  # of the bootstrap over groups of texts
    seed: NonNegativeInt  # of the halves and of the bootstrap


def frame_links(frames: list[dict], tokens: list[list[int]]) -> list[Link]:
    """The tokens of each predicate and of its element."""
    links = []
    for frame in frames:
        target = range(frame["target_first"], frame["target_last"] + 1)
        element = range(frame["first"], frame["last"] + 1)
        one, other = ([t for word in side for t in tokens[word]] for side in (target, element))
        links.append((one, other))
    return links


def main(corpus: Annotated[str, typer.Option(help="A corpus of `frames.corpora`.")]) -> None:
    """Measure the attention between predicates and frame elements in the texts of CORPUS."""
    parameters = section(Frames, "frames")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    every, best = [], []
    with torch.inference_mode():
        for recording in texts.recordings(device):
            (weights,) = linked_weights(recording, texts, [_finder(texts)])
            if not len(weights[0]):
                raise InputError(
                    f"{texts.folder}: no text has a frame; `frames.corpora` takes corpora with "
                    "frames (FrameNet's, or those written here)"
                )
            settings = (parameters.resamples, parameters.seed)
            every.append(head_table(recording, *weights, *settings))
            best.append(best_table(recording, *weights, *settings))
    write_tables(f"frames/{corpus}", {"": every, "-best": best})


def _finder(texts: Texts):
    return lambda row, tokens: frame_links(texts.corpus["frames"][row], tokens)


if __name__ == "__main__":
    stage_command(main)
