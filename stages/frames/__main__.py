"""Which heads link a predicate and its frame elements (Kovaleva et al. 2019, section 4.2)."""

import torch

from stages.core.maps.links import Link, best_table, linked_weights, weights_by_head
from stages.core.recordings.recording import Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section
from stages.frames.tables import BEST, HEADS


class Frames(Resampled):
    """The section `frames` of `params.yaml`."""

    corpora: list[str]


def frame_links(frames: list[dict], tokens: list[list[int]]) -> list[Link]:
    """The tokens of each predicate and of its element."""
    links = []
    for frame in frames:
        target = range(frame["target_first"], frame["target_last"] + 1)
        element = range(frame["first"], frame["last"] + 1)
        one, other = ([t for word in side for t in tokens[word]] for side in (target, element))
        links.append((one, other))
    return links


def main(corpus: CorpusOption) -> None:
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
            every.append(weights_by_head(recording, *weights, *settings))
            best.append(best_table(recording, *weights, *settings))
    HEADS.write(every, corpus=corpus)
    BEST.write(best, corpus=corpus)


def _finder(texts: Texts):
    return lambda row, tokens: frame_links(texts.corpus["frames"][row], tokens)


if __name__ == "__main__":
    stage_command(main)
