"""What the best heads of relations give to [SEP]."""

import numpy as np
import pytest

from stages.syntax.separators import to_separators
from stages.syntax.words import read_words
from tests.oracle import SYNTAX, OracleRecording, oracle_corpus, oracle_texts
from tests.syntax.test_stage import PARAMETERS

SETTINGS = PARAMETERS.model_copy(update={"separators": ["obj", "det", "iobj"]})


class OfObjects(OracleRecording):
    """The syntactic head serves objects; from other words nine tenths go to [SEP]."""

    def _maps(self, row: int) -> np.ndarray:
        maps = super()._maps(row)
        numbers = self.tokens["word"][row]
        for token, number in enumerate(numbers):
            if number < 0 or self.corpus["words"][row][number]["deprel"] != "obj":
                maps[SYNTAX][token] *= 0.1
                maps[SYNTAX][token, -1] += 0.9
        return maps


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return oracle_texts(oracle_corpus(40), tmp_path_factory.mktemp("oracle"))


def measured(recording, texts):
    cases, given = read_words(recording, texts, SETTINGS)
    return to_separators(cases, given, recording, texts, SETTINGS)


def test_a_head_that_serves_objects_gives_the_rest_to_separators(texts):
    table = measured(OfObjects(texts.corpus), texts)
    assert table["relation"].tolist() == ["obj", "det"]  # no word is an indirect object
    row = table.iloc[0]
    assert (row["layer"], row["head"], row["direction"]) == (*SYNTAX, "dependent to head")
    assert row["having"] == pytest.approx(0, abs=1e-6)
    assert row["lacking"] == pytest.approx(0.9, abs=1e-6)
    assert row["gain"] == pytest.approx(0.9, abs=1e-6)
    words = sum(len(words) for words in texts.corpus["words"])
    assert (row["words_having"], row["words_lacking"]) == (40, words - 40)
    assert row["same"]
    for column, share in (("lacking", 0.9), ("having", 0), ("gain", 0.9)):
        assert len(row[f"{column}_drawn"]) == SETTINGS.resamples
        np.testing.assert_allclose(row[f"{column}_drawn"], share, atol=1e-6)
    # The same head finds determiners, which give as much to [SEP] as other words but objects.
    assert table.iloc[1]["having"] == pytest.approx(0.9, abs=1e-6)
    assert table.iloc[1]["gain"] < 0


def test_a_head_that_serves_all_words_and_random_weights_give_alike(texts):
    table = measured(OracleRecording(texts.corpus), texts)
    assert table.iloc[0]["gain"] == pytest.approx(0, abs=1e-6)
    table = measured(OracleRecording(texts.corpus, "random_weights"), texts)
    assert (table["gain_low"] < 0).all()
    assert (table["gain_high"] > 0).all()
    assert (table["lacking"] < 0.15).all()
