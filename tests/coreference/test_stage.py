"""Antecedents by oracle heads and by rules."""

import pytest

from stages.core.corpora.store import word
from stages.core.stage.files import InputError
from stages.coreference.__main__ import Coreference, anaphors, antecedent_tables
from stages.coreference.rules import RULES, Mention, agree, agreement_of, rule_choice
from tests.oracle import ANTECEDENT, OracleRecording, oracle_corpus, oracle_texts

PARAMETERS = Coreference(corpora=[], resamples=100, seed=0)


def mention(first: int, text: str, cluster: int, **changes) -> Mention:
    plain = {
        "first": first,
        "last": first,
        "head": first,
        "cluster": cluster,
        "kind": "nominal",
        "text": text,
        "head_text": text.split()[-1],
        "agreement": ("", "", "3"),
    }
    return Mention(**plain | changes)


def test_a_head_that_attends_to_the_antecedent_scores_one(tmp_path):
    corpus = oracle_corpus(30)
    best, every = antecedent_tables(
        OracleRecording(corpus), oracle_texts(corpus, tmp_path), PARAMETERS
    )
    overall = best[best["kind"] == "all"].set_index("rival")
    assert (overall["value"] == 1.0).all()
    assert set(zip(overall["layer"], overall["head"], strict=True)) == {ANTECEDENT}
    # "it" is the subject; the nearest mention is the object.
    assert overall.loc["nearest", "rival_value"] == 0.0
    assert overall.loc["nearest", "gain_value"] == 1.0
    assert set(best["kind"]) == {"all", "pronoun"}
    assert len(every) == 2 * 12


def test_only_earlier_mentions_beside_the_mention_are_candidates():
    inside = mention(1, "dog", 1)
    around = mention(0, "the dog", 0, last=2, head=2)
    later = mention(5, "cat", 0)
    pronoun = mention(7, "it", 0)
    found = list(anaphors([around, inside, later, pronoun]))
    assert [(one.first, [other.first for other in others]) for one, others in found] == [
        (5, [0, 1]),
        (7, [0, 1, 5]),
    ]


CANDIDATES = [
    mention(0, "the old king", 0, head_text="king", agreement=("Sing", "Masc", "3")),
    mention(4, "the queens", 1, head_text="queens", agreement=("Plur", "Fem", "3")),
    mention(8, "a king", 2, head_text="king", agreement=("Sing", "Masc", "3")),
    mention(12, "the castles", 3, head_text="castles", agreement=("Plur", "Neut", "3")),
]


@pytest.mark.parametrize(
    ("rule", "asking", "chosen"),
    [
        ("nearest", mention(20, "he", 0), 3),
        ("head match", mention(20, "the king", 0, head_text="king"), 2),
        ("head match", mention(20, "him", 0), 3),
        ("rules", mention(20, "the old king", 0, head_text="king"), 0),
        ("rules", mention(20, "this king", 0, head_text="king"), 2),
        ("rules", mention(20, "she", 1, agreement=("", "Fem", "3")), 1),
        ("rules", mention(20, "i", 1, agreement=("Sing", "", "1")), 3),
    ],
)
def test_rules_by_hand(rule, asking, chosen):
    assert rule_choice(rule, asking, CANDIDATES) == chosen
    assert set(RULES) == {"nearest", "head match", "rules"}


def test_pronouns_agree_by_annotation_or_by_form():
    she = agreement_of(word("She", 0))
    assert she == ("Sing", "Fem", "3")
    assert agreement_of(word("kings", 0, feats="Number=Plur")) == ("Plur", "", "3")
    assert not agree(mention(0, "she", 0, agreement=she), CANDIDATES[0])


def test_text_without_mentions_is_refused(tmp_path):
    corpus = oracle_corpus(2)
    corpus["mentions"] = [[], []]
    with pytest.raises(InputError, match=r"coreference\.corpora"):
        antecedent_tables(
            OracleRecording(corpus, "random_weights"), oracle_texts(corpus, tmp_path), PARAMETERS
        )
