"""Labelled maps of plain patterns, and a small classifier's settings."""

import numpy as np
import pandas as pd
import pytest

from stages.patterns.classifier.stage import Classifier
from stages.patterns.labelled_maps import (
    CLASSES,
    LabelledMaps,
)
from tests.patterns.maps import diagonal, vertical


@pytest.fixture(scope="module")
def labelled() -> LabelledMaps:
    """Plain vertical and diagonal maps of many sizes in two folds."""
    generator = np.random.default_rng(0)
    lengths = generator.integers(8, 30, 40)
    maps = [(vertical if row % 2 else diagonal)(length) for row, length in enumerate(lengths)]
    label = [CLASSES[0] if row % 2 else CLASSES[1] for row in range(40)]
    table = pd.DataFrame({"map": range(40), "fold": [row // 2 % 2 for row in range(40)]})
    table = table.assign(label=label, first=label, second=label, first_doubt="", second_doubt="")
    table = table.assign(encoder="toy", layer=0, head=range(40), drawn_by="chance")
    return LabelledMaps(maps, table)


@pytest.fixture(scope="module")
def settings() -> Classifier:
    return Classifier(
        starts=2,
        seed=0,
        side=16,
        width=4,
        last_width=8,
        epochs=12,
        batch=8,
        learning_rate=1.0e-2,
        weight_decay=1.0e-2,
        adjudicated=0.5,
        doubt=0.4,
        copies=2,
        recomposed=0.0,
        balance=0.0,
        dropout=0.2,
        wide=0.5,
        wide_penalty=0.1,
    )
