"""Which heads link a predicate and its frame elements (Kovaleva et al. 2019, section 4.2)."""

import numpy as np
import pandas as pd
import torch

from stages.core.intervals.held_out import held_out
from stages.core.maps.links import Link, Weights, linked_weights, named_head, weights_by_head
from stages.core.recordings.recording import Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section
from stages.frames.tables import BEST, HEADS


class Frames(Resampled, section="frames"):
    """The section `frames` of `params.yaml`."""

    corpora: list[str]


def frame_links(frames: list[dict], tokens: list[list[int]]) -> list[Link]:
    """The tokens of each predicate and of its element."""
    links = []
    for frame in frames:
        target = range(frame["target_first"], frame["target_last"] + 1)
        element = range(frame["first"], frame["last"] + 1)
        target, element = ([t for word in side for t in tokens[word]] for side in (target, element))
        links.append((target, element))
    return links


def frame_weights(recording: Recording, texts: Texts) -> Weights:
    """The largest weight between a predicate and its element, and of several frames of a text.

    Raises:
        InputError: no text has a frame.
    """

    def find(row: int, tokens: list[list[int]]) -> list[Link]:
        return frame_links(texts.corpus["frames"][row], tokens)

    (weights,) = linked_weights(recording, texts, [find])
    if not len(weights["maximum"]):
        raise InputError(
            f"{texts.folder}: no text has a frame; `frames.corpora` takes corpora with frames "
            "(FrameNet's, or those written here)"
        )
    return weights["maximum"]


def best_linking(recording: Recording, weights: Weights, resamples: int, seed: int) -> pd.DataFrame:
    """The head whose weight on links is furthest above that of moved links, held out.

    Texts whose links cannot be moved are left out. Empty if fewer than two are left.
    """
    movable = weights.movable
    if len(movable) < 2:
        return pd.DataFrame()
    gain = movable.linked - movable.moved
    choice = held_out(gain, np.zeros((len(gain), 1)), movable.groups, resamples, seed)
    return pd.DataFrame([named_head(recording, choice.best, movable) | choice.row()])


def run_stage(corpus: str) -> None:
    """Measure the attention between predicates and frame elements in the texts of CORPUS."""
    parameters = section(Frames, "frames")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    every, best = [], []
    with torch.inference_mode():
        for recording in texts.recordings(device):
            weights = frame_weights(recording, texts)
            settings = (parameters.resamples, parameters.seed)
            every.append(weights_by_head(recording, weights, *settings))
            best.append(best_linking(recording, weights, *settings))
    HEADS.write(every, data=corpus)
    BEST.write(best, data=corpus)
