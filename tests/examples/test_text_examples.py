"""Whose attention on a corpus is shown."""

from pathlib import Path

import pandas as pd

from stages.core.recordings.recording import Texts
from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED, UNTUNED
from stages.examples.text_examples.stage import shown_encoder


def texts(*encoders: str) -> Texts:
    return Texts(pd.DataFrame(), Path("work/corpora/one"), 128, list(encoders))


def test_the_encoder_is_shown_and_not_its_control():
    assert shown_encoder(texts(RANDOM_WEIGHTS, UNTUNED)) == UNTUNED
    assert shown_encoder(texts(RANDOM_WEIGHTS, RECORDED)) == RECORDED


def test_the_control_is_shown_where_there_is_nothing_else():
    assert shown_encoder(texts(RANDOM_WEIGHTS)) == RANDOM_WEIGHTS
