"""What oracle heads show on the surface."""

import pytest

from stages.core.maps.vig_patterns import VIG_PATTERNS
from stages.surface.__main__ import Surface, surface_table
from tests.oracle import NEXT, PREVIOUS, SEP, UNIFORM, OracleRecording, oracle_corpus, oracle_texts

PARAMETERS = Surface(
    corpora=[],
    punctuation=["."],
    gradient_texts=None,
    masked=0.15,
    batch=4,
    resamples=50,
    seed=0,
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    corpus = oracle_corpus(12)
    found = surface_table(
        OracleRecording(corpus), oracle_texts(corpus, tmp_path_factory.mktemp("o")), PARAMETERS
    )
    return found.set_index(["statistic", "layer", "head"])["mean"]


def test_oracle_heads_have_strength_one_and_equal_weights_none(table):
    assert table["pattern_next"][NEXT] == pytest.approx(1)
    assert table["pattern_previous"][PREVIOUS] == pytest.approx(1)
    assert table["pattern_delimiter"][SEP] == pytest.approx(1)
    for pattern in VIG_PATTERNS:
        if f"pattern_{pattern}" in table:
            assert table[f"pattern_{pattern}"][UNIFORM] == pytest.approx(0, abs=1e-6), pattern
    assert table["sep"][SEP] == pytest.approx(1)
    assert table["entropy"][SEP] == pytest.approx(0, abs=1e-6)


def test_single_texts_have_no_pattern_across_texts(table):
    names = set(table.index.get_level_values(0))
    assert "pattern_next" in names
    assert not {"pattern_related_other", "pattern_sentence"} & names
