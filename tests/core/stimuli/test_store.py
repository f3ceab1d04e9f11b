"""Stimuli come back as they were written, and encoders read them as they are spelt."""

import numpy as np
import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.stimuli.lexical_items import sentence_divisions, sentence_weights, widened
from stages.core.stimuli.store import (
    PROBES,
    corpus_of,
    read_attention,
    read_probes,
    spelt,
    write_stimuli,
)

PROBE = {
    "id": "a-1",
    "probe": "subject_noun",
    "part": "possessive",
    "words": ["the", "dog", "'s", "cat", "will", "swim", "."],
    "target": 3,
    "position": 0,
    "first": 1,
    "items": ["cat", "dog"],
}


def test_what_is_written_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_stimuli("one", [PROBE], [])
    read = read_probes("one")
    assert list(read.columns) == PROBES.names
    assert read.to_dict("records") == [PROBE]
    assert read_attention("one").empty
    with pytest.raises(InputError, match=r"no such file; run `dvc repro stimuli` first"):
        read_probes("two")


def test_words_are_spelt_and_found_in_the_text():
    text, starts = spelt(PROBE["words"])
    assert text == "the dog's cat will swim."
    assert [text[start:][: len(word)] for start, word in zip(starts, PROBE["words"], strict=True)]
    corpus = corpus_of(pd.DataFrame([PROBE]))
    assert [text[word["start"] : word["end"]] for word in corpus["words"][0]] == PROBE["words"]


ITEMS = [["a", "b"], ["b", "c"], ["a", "a"], ["d", "e"], ["c", "e"]] * 4


def test_a_sentence_counts_as_often_as_all_of_its_items():
    weights = sentence_weights(ITEMS, 30, 0)
    assert (weights[0] == 1).all()
    both, single = weights[1:, 0], weights[1:, 2]
    # The sentence of "a" alone counts as "a"; that of both never without "a".
    assert (both[single == 0] == 0).all()
    assert np.array_equal(weights[:, :5], weights[:, 5:10])
    assert len(np.unique(weights[1:, 2])) > 1


def test_halves_share_no_item():
    ways = sentence_divisions(ITEMS, 0)
    assert ways.shape == (10, 2, len(ITEMS))
    for selecting, scored in ways:
        assert not (selecting & scored).any()
        names = [
            {item for row in np.flatnonzero(half) for item in ITEMS[row]}
            for half in (selecting, scored)
        ]
        assert not names[0] & names[1]
    assert (ways[::2] == ways[1::2, ::-1]).all()


def test_resamples_of_few_items_are_widened_as_a_t_interval_is():
    lines = np.array([[2.0, 1.0, 3.0]])
    # 2.776 / 1.960 of four degrees of freedom.
    assert widened(lines, 5) == pytest.approx(np.array([[2, 2 - 1.4166, 2 + 1.4166]]), abs=1e-3)
    assert widened(lines, 10_000) == pytest.approx(lines, abs=1e-3)
