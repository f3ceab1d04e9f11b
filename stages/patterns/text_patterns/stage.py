"""The pattern class of every head's maps on a corpus (Kovaleva et al. 2019, section 4.1).

As `patterns` does for the maps of tasks: so that attention recorded elsewhere is classified too.
"""

import numpy as np
from jaxtyping import Int
from pydantic import PositiveInt

from stages.core.recordings.recording import Recording, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.places import CLASSIFIER
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import drawn_rows
from stages.patterns.network import PatternClassifier
from stages.patterns.readings import Reader, Readings, stacked
from stages.patterns.special import SpecialRule, special_tokens
from stages.patterns.stage import beyond_by_head, head_shares, pattern_shares
from stages.patterns.tables import TEXT_BEYOND, TEXT_HEADS, TEXT_SHARES


class TextPatterns(Resampled, section="text_patterns"):
    """The section `text_patterns` of `params.yaml`; the rule `special` is that of `patterns`."""

    corpora: list[str]
    labelled: list[str]
    texts: PositiveInt | None
    batch: PositiveInt


def read_texts(recording: Recording, rows: Int[np.ndarray, " drawn"], reader: Reader) -> Readings:
    """Readings of every head's map of the drawn texts, with an axis of texts before."""
    place = {row: number for number, row in enumerate(rows)}
    found: dict[int, Readings] = {}
    for batch in recording.batches(rows):
        for number, row in enumerate(batch.rows):
            length = batch.lengths[number]
            maps = batch.maps[number, :, :, :length, :length].float().cpu().numpy()
            special = special_tokens(list(recording.tokens["tokens"][row]), reader.rule.punctuation)
            found[place[row]] = reader.read((maps, special))
    return stacked([found[number] for number in range(len(rows))])


def run_stage(corpus: str) -> None:
    """Classify the maps of every head on the texts of CORPUS."""
    parameters = section(TextPatterns, "text_patterns")
    rule = section(SpecialRule, "patterns.special")
    device = start(read_runtime(), parameters.seed)
    classifier = PatternClassifier.load(CLASSIFIER).to(device)
    reader = Reader(classifier, rule, parameters.batch, device)
    texts = open_texts(corpus)
    rows = drawn_rows(len(texts.corpus), parameters.texts, parameters.seed)
    settings = (parameters.resamples, parameters.seed)
    groups = texts.groups[rows]
    heads, shares, beyond = [], [], []
    for recording in texts.recordings(device):
        readings = read_texts(recording, rows, reader)
        for name, codes in readings.patterns(rule).items():
            keys = {"arm": recording.name, "rule": name}
            shares.append(pattern_shares(codes, groups, *settings).assign(**keys))
            heads.append(head_shares(codes, recording.layers).assign(**keys))
        of_arm = beyond_by_head(readings.beyond, groups, recording.layers, *settings)
        beyond.append(of_arm.assign(arm=recording.name))
    TEXT_HEADS.write(heads, data=corpus)
    TEXT_SHARES.write(shares, data=corpus)
    TEXT_BEYOND.write(beyond, data=corpus)
