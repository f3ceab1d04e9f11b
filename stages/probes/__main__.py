"""How much syntax is in the attention of all heads together (Clark et al. 2019, section 5).

Probes are trained on one half of the texts and scored on the other, both ways; beside them stand
right-branching, distances with words, and the attention of an encoder of random weights.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from pydantic import PositiveFloat, PositiveInt
from torch import Tensor, nn

from stages.core.intervals.groups import group_intervals
from stages.core.intervals.held_out import halves
from stages.core.recordings.recording import LiveRecording, Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import UNTUNED
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.files import InputError
from stages.core.stage.places import ENCODERS
from stages.core.stage.settings import Resampled, section
from stages.core.stage.tables import interval_columns
from stages.probes.models import (
    AttentionProbe,
    AttentionWordProbe,
    DistanceWordProbe,
    RightBranching,
    fit,
    predict,
)
from stages.probes.sentences import Sentence, read_sentences
from stages.probes.tables import SCORES
from stages.probes.vectors import ENCODER, encoder_vectors, file_vectors


class Probes(Resampled):
    """The section `probes` of `params.yaml`."""

    corpora: list[str]
    vectors: str | None
    root: bool
    epochs: PositiveInt
    batch: PositiveInt
    learning_rate: PositiveFloat


def word_vectors(
    recording: Recording, texts: Texts, parameters: Probes
) -> list[Float[Tensor, "word size"]] | None:
    """Vectors of the words of every text, the same for all encoders.

    Raises:
        InputError: the encoder's embeddings are asked for where its maps alone are known.
    """
    if parameters.vectors is None:
        return None
    if parameters.vectors != ENCODER:
        return file_vectors(Path(parameters.vectors), texts.corpus)
    if not isinstance(recording, LiveRecording):
        raise InputError(
            f"params.yaml: `probes.vectors` is {ENCODER}, but the attention on {texts.folder.name} "
            "was recorded elsewhere; name a file of vectors, or null for probes without words"
        )
    # An encoder of random weights knows no words: all probes get the checkpoint's.
    own = ENCODERS / UNTUNED
    return encoder_vectors(recording, own if own.is_dir() else ENCODERS / recording.name)


def probes_of(sentences: list[Sentence]) -> dict[str, nn.Module]:
    """Fresh probes for sentences of this shape."""
    heads = len(sentences[0].maps)
    probes: dict[str, nn.Module] = {
        "right-branching": RightBranching(),
        "attention": AttentionProbe(heads),
    }
    if sentences[0].vectors is not None:
        size = sentences[0].vectors.shape[1]
        probes["distances and words"] = DistanceWordProbe(size)
        probes["attention and words"] = AttentionWordProbe(size, heads)
    return probes


def held_out_predictions(name: str, sentences: list[Sentence], parameters: Probes) -> list[Tensor]:
    """The heads that a probe predicts in each half after training on the other."""
    sides = halves(np.array([sentence.group for sentence in sentences]), parameters.seed)
    found: list[Tensor] = [torch.empty(0)] * len(sentences)
    for side in (0, 1):
        tested = np.flatnonzero(sides == side)
        trained = [sentences[place] for place in np.flatnonzero(sides != side)]
        probe = probes_of(sentences)[name]
        if any(True for _ in probe.parameters()):
            fit(
                probe,
                trained,
                epochs=parameters.epochs,
                batch=parameters.batch,
                learning_rate=parameters.learning_rate,
                seed=parameters.seed,
            )
        told = predict(probe, [sentences[place] for place in tested], parameters.batch)
        for place, heads in zip(tested, told, strict=True):
            found[place] = heads
    return found


def attachment_scores(
    sentences: list[Sentence], predictions: list[Tensor], parameters: Probes
) -> list[dict]:
    """Unlabelled attachment score with and without punctuation, with intervals."""
    right, group, mark = [], [], []
    for sentence, predicted in zip(sentences, predictions, strict=True):
        scored = sentence.heads >= 0
        right.append((predicted == sentence.heads)[scored].numpy())
        mark.append(sentence.punctuation[scored].numpy())
        group.append(np.full(int(scored.sum()), sentence.group))
    hits, marks, groups = (np.concatenate(part) for part in (right, mark, group))
    rows = []
    for punctuation in (False, True):
        counted = np.ones(len(hits), bool) if punctuation else ~marks
        (interval,) = group_intervals(
            hits[None, counted].astype(float),
            groups[counted],
            parameters.resamples,
            parameters.seed,
        )
        rows.append(
            {
                "punctuation": punctuation,
                **interval_columns("", interval.value, interval.low, interval.high, "uas"),
                "words": int(counted.sum()),
            }
        )
    return rows


def probe_scores(recording: Recording, texts: Texts, parameters: Probes) -> pd.DataFrame:
    """One row a probe, with and without punctuation."""
    vectors = word_vectors(recording, texts, parameters)
    sentences = read_sentences(recording, texts, vectors, parameters.root)
    if len({sentence.group for sentence in sentences}) < 2:
        raise InputError(
            f"{texts.folder}: fewer than two groups of texts with syntax; `probes.corpora` takes "
            "corpora with heads"
        )
    rows = []
    for name in probes_of(sentences):
        predictions = held_out_predictions(name, sentences, parameters)
        for row in attachment_scores(sentences, predictions, parameters):
            rows.append({"encoder": recording.name, "probe": name, **row})
    return pd.DataFrame(rows).assign(sentences=len(sentences))


def main(corpus: CorpusOption) -> None:
    """Train and score the probes on the texts of CORPUS."""
    parameters = section(Probes, "probes")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    tables = [probe_scores(item, texts, parameters) for item in texts.recordings(device)]
    SCORES.write(tables, corpus=corpus)


if __name__ == "__main__":
    stage_command(main)
