"""Which rows a sentence is about, and which stand beside them."""

import pandas as pd
import pytest

from stages.core.pages.beside import each_corpus, first_corpus
from stages.core.verdicts.answers import NotMeasured

ROWS = pd.DataFrame(
    [
        ("recorded_elsewhere", "recorded", 1),
        ("news", "random_weights", 2),
        ("news", "untuned", 3),
        ("books", "untuned", 4),
    ],
    columns=["corpus", "encoder", "value"],
)


def test_the_first_corpus_that_the_encoder_reads_is_spoken_of_beside_its_control():
    found = first_corpus(ROWS)
    assert found.corpus == "news"
    assert (found.own["value"].tolist(), found.control["value"].tolist()) == ([3], [2])
    found = first_corpus(ROWS[ROWS["corpus"] == "recorded_elsewhere"])
    assert (found.own["value"].tolist(), len(found.control)) == ([1], 0)


def test_each_corpus_stands_once_and_random_weights_alone_are_none():
    found = each_corpus(ROWS)
    assert [one.corpus for one in found] == ["recorded_elsewhere", "news", "books"]
    assert [len(one.control) for one in found] == [0, 1, 0]
    with pytest.raises(NotMeasured):
        each_corpus(ROWS[ROWS["encoder"] == "random_weights"])
