"""Heads and rules that are each right about some anaphors: every score by hand."""

import numpy as np
import pandas as pd
import pytest

from stages.core.corpora.store import corpus_frame, word
from stages.coreference.rules import RULES
from stages.coreference.stage import antecedent_tables
from tests.coreference.test_stage import PARAMETERS
from tests.oracle import OracleRecording, oracle_texts

# A king, queens, and one of these: whom it means, and what kind of mention it is.
KING, QUEENS = 0, 1
ANAPHORS = (
    ("king", KING, "nominal"),
    *[("they", QUEENS, "pronoun")] * 2,
    *[("he", KING, "pronoun")] * 3,
)
OF_PRONOUNS, OF_NOUNS = (2, 1), (1, 2)


def text(number: int, form: str, cluster: int, kind: str) -> dict:
    words = [
        word("king", 0, upos="NOUN", feats="Number=Sing|Gender=Masc"),
        word("queens", 5, upos="NOUN", feats="Number=Plur|Gender=Fem"),
        word(form, 12),
    ]
    mentions = [
        {"segment": 0, "first": place, "last": place, "head": place, "cluster": own, "kind": named}
        for place, (own, named) in enumerate(
            [(KING, "nominal"), (QUEENS, "nominal"), (cluster, kind)]
        )
    ]
    return {
        "id": f"text-{number}",
        "group": f"group-{number // len(ANAPHORS)}",
        "text_a": f"king queens {form}",
        "words": words,
        "mentions": mentions,
    }


class OfKinds(OracleRecording):
    """One head is right about pronouns and wrong about nouns, another the other way round.

    All other heads attend to everything alike, so that the nearest mention counts: the queens.
    """

    def _maps(self, row: int) -> np.ndarray:
        maps = np.full((self.layers, self.heads, 5, 5), 0.2, dtype=np.float32)
        anaphor = self.corpus["mentions"][row][2]
        right = 1 + anaphor["cluster"]
        for place, kind in ((OF_PRONOUNS, "pronoun"), (OF_NOUNS, "nominal")):
            maps[place][3] = 0
            maps[place][3, right if anaphor["kind"] == kind else 3 - right] = 1
        return maps


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Six groups, each with all of `ANAPHORS`."""
    corpus = corpus_frame(text(number, *one) for number, one in enumerate(ANAPHORS * 6))
    texts = oracle_texts(corpus, tmp_path_factory.mktemp("kings"))
    best, every = antecedent_tables(OfKinds(corpus), texts, PARAMETERS)
    return best.set_index(["kind", "rule"]), every.set_index(["kind", "layer", "head"])["accuracy"]


def test_each_rule_has_its_own_score(tables):
    """The nearest are the queens; only of "king" there is a match; agreement tells all apart."""
    best, _ = tables
    shares = {"all": (2 / 6, 3 / 6, 1), "pronoun": (2 / 5, 2 / 5, 1), "nominal": (0, 1, 1)}
    for kind, of_rules in shares.items():
        assert best.loc[kind, "rival"][list(RULES)].tolist() == pytest.approx(of_rules), kind
    cases = best["cases"].groupby("kind").first().to_dict()
    assert cases == {"all": 36, "nominal": 6, "pronoun": 30}


def test_the_head_that_is_best_on_all_kinds_is_scored_on_each(tables):
    """Another one is right about nouns, which are few."""
    best, every = tables
    assert set(zip(best["layer"], best["head"], strict=True)) == {OF_PRONOUNS}
    found = best["score"].groupby("kind").unique().map(list).to_dict()
    assert found == {"all": [pytest.approx(5 / 6)], "pronoun": [1], "nominal": [0]}
    gains = best["gain"]["all"]
    assert gains.to_dict() == pytest.approx(
        {"nearest": 3 / 6, "head match": 2 / 6, "rules": -1 / 6}
    )
    assert every["nominal"][[OF_PRONOUNS, OF_NOUNS]].tolist() == [0, 1]
    assert every["all"][[OF_PRONOUNS, OF_NOUNS, (0, 0)]].tolist() == pytest.approx(
        [5 / 6, 1 / 6, 2 / 6]
    )
