"""The pattern class of every head's maps on a corpus (Kovaleva et al. 2019, section 4.1).

As `patterns` does for the maps of tasks: so that attention recorded elsewhere is classified too.
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import PositiveInt

from stages.core.intervals.groups import group_means
from stages.core.recordings.recording import Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.places import CLASSIFIER
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import drawn_rows
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.network import PatternClassifier
from stages.patterns.tables import TEXT_HEADS, TEXT_SHARES


class TextPatterns(Resampled):
    """The section `text_patterns` of `params.yaml`."""

    corpora: list[str]
    texts: PositiveInt | None
    batch: PositiveInt


def probabilities(
    recording: Recording,
    rows: Int[np.ndarray, " drawn"],
    classifier: PatternClassifier,
    size: int,
    device: torch.device,
) -> Float[np.ndarray, "text head pattern"]:
    """Probabilities of the five classes for every head's map of the drawn texts."""
    place = {row: number for number, row in enumerate(rows)}
    found = np.zeros((len(rows), recording.layers * recording.heads, len(CLASSES)))
    for batch in recording.batches(rows):
        for number, row in enumerate(batch.rows):
            length = batch.lengths[number]
            maps = batch.maps[number, :, :, :length, :length].flatten(0, 1).to(device)
            parts = [classifier.probabilities(some) for some in maps.split(size)]
            found[place[row]] = torch.cat(parts).cpu().numpy()
    return found


def share_table(
    patterns: Int[np.ndarray, "text head"], texts: Texts, rows: np.ndarray, settings: tuple
) -> pd.DataFrame:
    """One row a pattern: its share of all maps, with an interval over groups of texts."""
    shares = np.stack([(patterns == code).mean(1) for code in range(len(CLASSES))])
    mean, low, high = group_means(shares, texts.groups[rows], *settings)
    return pd.DataFrame(
        {"pattern": CLASSES, "share": mean, "low": low, "high": high, "texts": len(rows)}
    )


def main(corpus: CorpusOption) -> None:
    """Classify the maps of every head on the texts of CORPUS."""
    parameters = section(TextPatterns, "text_patterns")
    device = start(read_runtime(), parameters.seed)
    classifier = PatternClassifier.load(CLASSIFIER).to(device)
    texts = open_texts(corpus)
    rows = drawn_rows(len(texts.corpus), parameters.texts, parameters.seed)
    settings = (parameters.resamples, parameters.seed)
    heads, shares = [], []
    for recording in texts.recordings(device):
        found = probabilities(recording, rows, classifier, parameters.batch, device)
        patterns = found.argmax(-1)
        shares.append(share_table(patterns, texts, rows, settings).assign(encoder=recording.name))
        for code, name in enumerate(CLASSES):
            columns = {"pattern": name, "share": (patterns == code).mean(0)}
            heads.append(pd.DataFrame(recording.places | columns))
    TEXT_HEADS.write(heads, corpus=corpus)
    TEXT_SHARES.write(shares, corpus=corpus)


if __name__ == "__main__":
    stage_command(main)
