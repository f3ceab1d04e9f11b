"""The pattern class of every head's maps on a corpus (Kovaleva et al. 2019, section 4.1).

As `patterns` does for the maps of tasks: so that attention recorded elsewhere is classified too.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import PositiveInt

from stages.core.intervals.groups import group_means, resampled_means
from stages.core.recordings.recording import Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.places import CLASSIFIER
from stages.core.stage.settings import Resampled, section
from stages.core.stage.tables import interval_columns
from stages.core.tasks.examples import drawn_rows
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.network import PatternClassifier
from stages.patterns.readings import Reader, Readings, stacked
from stages.patterns.special import SpecialRule, special_tokens
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


def share_table(
    patterns: Int[np.ndarray, "text head"], texts: Texts, rows: np.ndarray, settings: tuple
) -> tuple[pd.DataFrame, Float[np.ndarray, "1 pattern resample"]]:
    """One row a pattern: its share of all maps, with an interval over groups of texts."""
    shares = np.stack([(patterns == code).mean(1) for code in range(len(CLASSES))])
    found = resampled_means(shares, texts.groups[rows], *settings)
    columns = interval_columns("", found.value, found.low, found.high, value="share")
    return pd.DataFrame({"pattern": CLASSES, **columns, "texts": len(rows)}), found.drawn[None]


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
    heads, shares, resampled, beyond = [], [], [], []
    for recording in texts.recordings(device):
        readings = read_texts(recording, rows, reader)
        of_encoder = {"encoder": recording.name}
        for name, patterns in readings.patterns(rule).items():
            of_rule, of_resamples = share_table(patterns, texts, rows, settings)
            shares.append(of_rule.assign(**of_encoder, rule=name))
            resampled.append(of_resamples)
            for code, pattern in enumerate(CLASSES):
                columns = {"rule": name, "pattern": pattern, "share": (patterns == code).mean(0)}
                heads.append(pd.DataFrame(recording.places | columns))
        means = group_means(readings.beyond.T, texts.groups[rows], *settings)
        columns = interval_columns("", *means, value="beyond") | {"texts": len(rows)}
        beyond.append(pd.DataFrame(recording.places | columns))
    TEXT_HEADS.write(heads, corpus=corpus)
    TEXT_SHARES.write(shares, resampled, corpus=corpus)
    TEXT_BEYOND.write(beyond, corpus=corpus)
