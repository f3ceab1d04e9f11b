"""Antecedents by oracle heads and by rules."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.corpora.store import word
from stages.core.stage.files import InputError
from stages.coreference.rules import (
    RULES,
    Mention,
    agree,
    agreement_of,
    mentions_of,
    rule_choice,
)
from stages.coreference.stage import Coreference, anaphors, antecedent_tables, choices
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
    overall = best[best["kind"] == "all"].set_index("rule")
    assert (overall["score"] == 1.0).all()
    assert set(zip(overall["layer"], overall["head"], strict=True)) == {ANTECEDENT}
    # "it" is the subject; the nearest mention is the object.
    assert overall.loc["nearest", "rival"] == 0.0
    assert overall.loc["nearest", "gain"] == 1.0
    assert set(best["kind"]) == {"all", "pronoun"}
    # Some resamples choose another head, most do not.
    drawn = np.stack(best["gain_drawn"])
    np.testing.assert_allclose(np.median(drawn, axis=1), best["gain"])
    assert drawn.shape == (len(best), PARAMETERS.resamples)
    assert len(every) == 2 * 12


def mixed_corpus(count: int = 60) -> pd.DataFrame:
    """In every other text the second noun is the first one again."""
    corpus = oracle_corpus(count)
    mentions = [
        [first, second | {"cluster": row % 2}, pronoun]
        for row, (first, second, pronoun) in enumerate(corpus["mentions"])
    ]
    return corpus.assign(mentions=mentions)


def test_the_head_is_chosen_on_all_mentions_and_scored_on_a_kind(tmp_path):
    """The oracle head is right about pronouns alone, of which there are more than nouns."""
    corpus = mixed_corpus()
    recording, texts = OracleRecording(corpus), oracle_texts(corpus, tmp_path)
    best, every = antecedent_tables(recording, texts, PARAMETERS)
    kinds = best[best["rule"] == "nearest"].set_index("kind")
    assert kinds["cases"].to_dict() == {"all": 90, "pronoun": 60, "nominal": 30}
    assert kinds.loc["pronoun", "score"] == 1.0
    # A noun has one earlier mention in its text, which is right: every head finds it.
    assert kinds.loc["nominal", "score"] == 1.0
    heads = every.set_index(["kind", "layer", "head"])["accuracy"]
    assert heads[("pronoun", *ANTECEDENT)] == 1.0
    others = heads["pronoun"].drop(index=ANTECEDENT)
    # The two groups of texts differ in what is right: both nouns, or the first alone.
    assert 0.4 < others.mean() < 0.95


def test_texts_of_one_group_stay_together(tmp_path):
    """With one group nothing is held out, with four there is no interval."""
    corpus = oracle_corpus(8)
    best, _ = antecedent_tables(OracleRecording(corpus), oracle_texts(corpus, tmp_path), PARAMETERS)
    assert (best["groups"] == 4).all()
    assert best["score_low"].isna().all()
    # Batches hold the longest text first; groups are of the corpus.
    corpus["mentions"] = [
        mentions if row in (0, 1, 6, 7) else [] for row, mentions in enumerate(corpus["mentions"])
    ]
    best, _ = antecedent_tables(OracleRecording(corpus), oracle_texts(corpus, tmp_path), PARAMETERS)
    assert (best["groups"] == 2).all()
    alone = corpus.assign(group="one")
    best, _ = antecedent_tables(OracleRecording(alone), oracle_texts(alone, tmp_path), PARAMETERS)
    assert best["score"].isna().all()


def test_mentions_that_were_cut_away_are_not_there(tmp_path):
    """Of a text cut before its pronoun nothing is left to find."""
    corpus = oracle_corpus(30)
    recording, texts = OracleRecording(corpus), oracle_texts(corpus, tmp_path)
    whole = recording.tokens["word"][0]
    pronoun = corpus["mentions"][0][2]["head"]
    recording.tokens.at[0, "word"] = [-1 if word >= pronoun else word for word in whole]
    best, _ = antecedent_tables(recording, texts, PARAMETERS)
    assert (best["cases"] == 29).all()
    first = corpus["mentions"][1][0]["first"]
    words = recording.tokens["word"][1]
    recording.tokens.at[1, "word"] = [-1 if word == first else word for word in words]
    best, _ = antecedent_tables(recording, texts, PARAMETERS)
    assert (best["cases"] == 28).all()


def test_random_weights_find_what_chance_finds(tmp_path):
    """Two candidates, of which one is right: half of the pronouns, not more."""
    corpus = oracle_corpus(300)
    recording = OracleRecording(corpus, "random_weights")
    best, _ = antecedent_tables(recording, oracle_texts(corpus, tmp_path), PARAMETERS)
    assert best["score"].to_numpy() == pytest.approx(0.5, abs=0.06)


def test_of_equal_weights_the_nearest_candidate_is_chosen():
    maps = torch.zeros(2, 9, 9)
    maps[1, 7, 0] = 0.5
    candidates = [mention(0, "dog", 0), mention(3, "cat", 1), mention(5, "fox", 2)]
    chosen = choices(maps, mention(7, "it", 0), candidates)
    assert chosen.tolist() == [2, 0]


def test_only_earlier_mentions_beside_the_mention_are_candidates():
    mentions = [
        mention(0, "king", 1),
        mention(2, "dog of the king", 0, last=5, head=2),
        mention(4, "the king", 1, last=5, head=5),  # inside of the dog
        mention(6, "cat dog", 1, last=7, head=6),
        mention(7, "dog", 0, last=8, head=8),  # begins where the cat ends
        mention(9, "it", 2),  # nobody's
        mention(10, "it", 0),
    ]
    found = list(anaphors(mentions))
    assert [(one.first, [other.first for other in others]) for one, others in found] == [
        (4, [0]),
        (6, [0, 2, 4]),
        (7, [0, 2, 4]),
        (10, [0, 2, 4, 6, 7, 9]),
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


def test_mentions_with_the_same_head_word_are_no_candidates():
    """A mention that ends where this one's head is would be its own antecedent."""
    inner = mention(2, "dog", 0, last=2, head=4)
    outer = mention(4, "the dog", 0)
    assert list(anaphors([inner, outer])) == []


def test_mentions_begin_in_order_the_longer_first():
    words = [word(text, 0, upos="NOUN") for text in ("The", "Kings", "sleep", "They")]
    shared = {"segment": 0, "cluster": 3, "kind": "nominal"}
    given = [
        shared | {"first": 3, "last": 3, "head": 3},
        shared | {"first": 0, "last": 0, "head": 0},
        shared | {"first": 0, "last": 1, "head": 1},
    ]
    found = mentions_of(words, given)
    assert [(one.first, one.last, one.text, one.head_text) for one in found] == [
        (0, 1, "the kings", "kings"),
        (0, 0, "the", "the"),
        (3, 3, "they", "they"),
    ]
    assert (found[0].cluster, found[0].kind, found[2].agreement) == (
        3,
        "nominal",
        ("Plur", "", "3"),
    )


@pytest.mark.parametrize(
    ("form", "agreement"),
    [
        ("Myself", ("Sing", "", "1")),
        ("our", ("Plur", "", "1")),
        ("yours", ("", "", "2")),
        ("him", ("Sing", "Masc", "3")),
        ("herself", ("Sing", "Fem", "3")),
        ("its", ("Sing", "Neut", "3")),
        ("them", ("Plur", "", "3")),
        ("castle", ("", "", "3")),
    ],
)
def test_what_is_known_of_a_form(form, agreement):
    assert agreement_of(word(form, 0)) == agreement


def test_annotation_is_believed_before_the_form():
    assert agreement_of(word("they", 0, feats="Number=Sing|Person=3")) == ("Sing", "", "3")


@pytest.mark.parametrize(
    ("one", "other", "agreeing"),
    [
        (("Sing", "Masc", "3"), ("Sing", "Masc", "3"), True),
        (("Sing", "Masc", "3"), ("Sing", "", "3"), True),
        (("", "", "3"), ("Plur", "Fem", "3"), True),
        (("Sing", "Masc", "3"), ("Plur", "Masc", "3"), False),
        (("Sing", "Masc", "3"), ("Sing", "Fem", "3"), False),
        (("Sing", "", "1"), ("Sing", "", "3"), False),
    ],
)
def test_nothing_that_is_known_may_differ(one, other, agreeing):
    mentions = [mention(place, "x", 0, agreement=given) for place, given in enumerate((one, other))]
    assert agree(*mentions) == agreeing


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
