"""How much syntax is in the attention of all heads together (Clark et al. 2019, section 5).

Probes are trained on one half of the texts and scored on the other, both ways, or trained on a
corpus of their own; beside them stand right-branching, distances with words, and the attention of
an encoder of random weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float
from torch import Tensor

from stages.core.intervals.groups import resampled_ratios
from stages.core.recordings.recording import LiveRecording, Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import UNTUNED
from stages.core.stage.files import InputError
from stages.core.stage.places import ENCODERS
from stages.core.stage.settings import section
from stages.core.tables import estimate_columns
from stages.probes.held_out import Prediction, predictions
from stages.probes.sentences import Sentence, read_sentences
from stages.probes.settings import Probes
from stages.probes.tables import SCORES
from stages.probes.variants import Variant, variants
from stages.probes.vectors import ENCODER, distinct, encoder_vectors, file_vectors


@dataclass(frozen=True)
class Source:
    """Attention on the texts of a corpus."""

    recording: Recording
    texts: Texts


def word_vectors(source: Source, parameters: Probes) -> list[Float[Tensor, "word size"]] | None:
    """Vectors of the words of every text, the same for all encoders.

    Raises:
        InputError: the encoder's embeddings are asked for where its maps alone are known.
    """
    if parameters.vectors is None:
        return None
    if parameters.vectors != ENCODER:
        return file_vectors(Path(parameters.vectors), source.texts.corpus)
    if not isinstance(source.recording, LiveRecording):
        raise InputError(
            f"params.yaml: `probes.vectors` is {ENCODER}, but the attention on "
            f"{source.texts.folder.name} was recorded elsewhere; name a file of vectors, or null "
            "for probes without words"
        )
    # An encoder of random weights knows no words: all probes get the checkpoint's.
    own = ENCODERS / UNTUNED
    folder = own if own.is_dir() else ENCODERS / source.recording.name
    return encoder_vectors(source.recording, folder)


def read_all(
    sources: Sequence[Source], parameters: Probes
) -> tuple[list[list[Sentence]], Float[Tensor, "vector size"] | None]:
    """The sentences of some corpora, with one table of vectors for all of them.

    Raises:
        InputError: a corpus has fewer than two groups of texts with syntax.
    """
    vectors = [word_vectors(source, parameters) for source in sources]
    table, words = None, [None] * len(sources)
    if vectors[0] is not None:
        table, places = distinct([text for corpus in vectors for text in corpus])
        words, first = [], 0
        for corpus in vectors:
            words.append(places[first : first + len(corpus)])
            first += len(corpus)
    found = []
    for source, of_corpus in zip(sources, words, strict=True):
        sentences = read_sentences(source.recording, source.texts, of_corpus)
        if len({sentence.group for sentence in sentences}) < 2:
            raise InputError(
                f"{source.texts.folder}: fewer than two groups of texts with syntax; "
                "`probes.corpora` and `probes.train_on` take corpora with heads"
            )
        found.append(sentences)
    return found, table


def attachment_scores(
    sentences: list[Sentence], found: dict[Variant, Prediction], parameters: Probes
) -> pd.DataFrame:
    """Unlabelled attachment scores with and without punctuation, with their resamples.

    All rows are resampled alike, so that differences between them are paired.
    """
    right, counted, rows = [], [], []
    for variant, predicted in found.items():
        for punctuation in (False, True):
            sums = [
                _right_and_all(sentence, heads, punctuation)
                for sentence, heads in zip(sentences, predicted.heads, strict=True)
            ]
            hits, words = np.array(sums, dtype=float).T
            right.append(hits)
            counted.append(words)
            rows.append(
                {
                    "probe": variant.name,
                    "variant": variant.label,
                    "punctuation": punctuation,
                    "words": int(words.sum()),
                    "steps": predicted.steps,
                    "converged": predicted.converged,
                }
            )
    groups = np.array([sentence.group for sentence in sentences])
    scores = resampled_ratios(
        np.stack(right), np.stack(counted), groups, parameters.resamples, parameters.seed
    )
    return pd.DataFrame(rows).assign(
        **estimate_columns("uas", scores.value, scores.low, scores.high, scores.drawn),
        sentences=len(sentences),
        groups=len(np.unique(groups)),
    )


def _right_and_all(sentence: Sentence, predicted: Tensor, punctuation: bool) -> tuple[int, int]:
    """How many words of a sentence have got their head, and how many count."""
    counts = sentence.scored if punctuation else sentence.scored & ~sentence.punctuation
    return int((predicted == sentence.heads)[counts].sum()), int(counts.sum())


def probe_scores(
    tested: Source,
    taught: Source | None,
    parameters: Probes,
    known: dict[Variant, Prediction] | None = None,
) -> pd.DataFrame:
    """One row a probe, with and without punctuation: its score with the resamples.

    Args:
        taught: what to train on; None for one half of `tested`, and then the other.
        known: predictions of probes without attention, which are the same for all encoders of one
            tokenizer; those that are not there yet are added.

    Raises:
        InputError: the two recordings have other numbers of heads.
    """
    sources = [tested] if taught is None else [tested, taught]
    shapes = {(source.recording.layers, source.recording.heads) for source in sources}
    if len(shapes) > 1:
        raise InputError(
            f"params.yaml: `probes.train_on`: {taught.texts.folder.name} was recorded with "
            f"{taught.recording.layers} x {taught.recording.heads} heads, "
            f"{tested.texts.folder.name} with {tested.recording.layers} x {tested.recording.heads}"
        )
    (sentences, *others), table = read_all(sources, parameters)
    known = {} if known is None else known
    wanted = variants(parameters.choices, table is not None)
    fresh = [variant for variant in wanted if variant not in known]
    found = known | predictions(sentences, *(others or [None]), table, parameters, fresh)
    known.update({variant: found[variant] for variant in fresh if not variant.with_attention})
    scores = attachment_scores(
        sentences, {variant: found[variant] for variant in wanted}, parameters
    )
    return scores.assign(arm=tested.recording.name)


def run_stage(corpus: str) -> None:
    """Train and score the probes on the texts of CORPUS."""
    parameters = section(Probes, "probes")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    teacher = None if parameters.train_on is None else open_texts(parameters.train_on)
    if teacher is not None and (lacking := set(texts.encoders) - set(teacher.encoders)):
        raise InputError(
            f"params.yaml: `probes.train_on` is {parameters.train_on}, which has no attention of "
            f"{', '.join(sorted(lacking))}, as {corpus} has; both are recorded, or neither"
        )
    known: dict[Variant, Prediction] = {}
    tables = [
        probe_scores(
            Source(texts.recording(name, device), texts),
            None if teacher is None else Source(teacher.recording(name, device), teacher),
            parameters,
            known,
        )
        for name in texts.encoders
    ]
    SCORES.write(tables, data=corpus)
