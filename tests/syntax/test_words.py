"""What heads say of single words, by hand."""

import numpy as np
import pytest
import torch

from stages.core.annotation.relations import relation_of
from stages.core.corpora.store import corpus_frame, word
from stages.syntax.tables import POSSESSIVE, POSSESSIVE_CLITIC
from stages.syntax.words import (
    DIRECTIONS,
    NO_HEAD,
    NOT_KNOWN,
    Cases,
    dependencies,
    most_attended,
    offset_list,
    read_words,
)
from tests.oracle import HEADS, OracleRecording, oracle_texts
from tests.syntax.test_stage import PARAMETERS

# [CLS] Kim 's dog barks [SEP], as a treebank in Stanford's labels has it.
WORDS = [
    word("Kim", 0, head=2, deprel="poss", upos="PROPN"),
    word("'s", 3, head=0, deprel="possessive", upos="PART"),
    word("dog", 6, head=3, deprel="nsubj", upos="NOUN"),
    word("barks", 10, head=-1, deprel="ROOT", upos="VERB"),
]
CLS, KIM, CLITIC, DOG, BARKS, SEP = range(6)


class Hand(OracleRecording):
    """One head, 1 of layer 2, attends as told; the others attend to everything alike."""

    given: dict[tuple[int, int], float]

    def _maps(self, row: int) -> np.ndarray:
        maps = np.full((self.layers, self.heads, 6, 6), 1 / 6, dtype=np.float32)
        maps[2, 1] = 0
        for (query, key), weight in self.given.items():
            maps[2, 1, query, key] = weight
        return maps


def read(given: dict[tuple[int, int], float], folder, words=WORDS, **changes):
    corpus = corpus_frame(
        [{"id": "a", "group": "a", "text_a": "Kim's dog barks", "words": words, "mentions": []}]
    )
    recording = Hand(corpus)
    recording.given = given
    parameters = PARAMETERS.model_copy(update=changes)
    return read_words(recording, oracle_texts(corpus, folder), parameters)


def hits_of(cases: Cases, direction: int = 0) -> dict[str, bool]:
    """Whether the head is right about each word, by relation."""
    column = (2 * HEADS + 1) * len(DIRECTIONS) + direction
    return dict(zip(cases.relation, cases.hits[:, column].tolist(), strict=True))


def test_labels_of_both_schemes_are_understood():
    stanford = "dobj", "pobj", "nn", "poss", "auxpass", "prt", "nsubjpass", "ROOT"
    universal = "obj", "case", "compound", POSSESSIVE, "aux:pass", "compound:prt", "nsubj:pass"
    assert [relation_of(label) for label in stanford] == [*universal, "root"]
    for label in (*universal, "prep", "det", ""):
        assert relation_of(label) == label


def test_heads_relations_and_clitics_by_hand():
    heads, relations, clitic = dependencies(WORDS, 6)
    assert heads == [2, 0, 3, NO_HEAD, NOT_KNOWN, NOT_KNOWN]
    assert relations == [POSSESSIVE, "possessive", "nsubj", "root", "", ""]
    assert clitic == [True, False, False, False, False, False]
    # The verb is cut away, so that nothing is known of the head of its subject.
    assert dependencies(WORDS, 3)[0] == [2, 0, NOT_KNOWN]
    assert dependencies(WORDS, 1)[2] == [False]
    assert dependencies([word("the", 0)], 1)[0] == [NOT_KNOWN]


def test_a_word_never_attends_to_itself_or_to_padding():
    maps = torch.tensor([[0.9, 0.1, 0.0], [0.4, 0.6, 0.0], [0.0, 0.0, 0.0]])[None, None, None]
    there = torch.tensor([[True, True, False]])
    predicted = most_attended(maps, there)
    assert predicted.shape == (1, 1, 1, len(DIRECTIONS), 3)
    assert predicted[0, 0, 0, :, :2].tolist() == [[1, 0], [1, 0]]


def test_the_two_directions_are_from_and_to_the_word():
    """0 attends to 1 and is attended to by 2; the largest other weight decides."""
    maps = torch.zeros(1, 1, 1, 3, 3)
    maps[..., 0, 1], maps[..., 0, 2], maps[..., 1, 0], maps[..., 2, 0] = 0.6, 0.4, 0.1, 0.3
    predicted = most_attended(maps, torch.ones(1, 3, dtype=torch.bool))
    assert predicted[0, 0, 0, :, 0].tolist() == [1, 2]


def test_heads_are_right_in_their_direction_alone(tmp_path):
    to_head = {(KIM, DOG): 1.0, (CLITIC, KIM): 1.0, (DOG, BARKS): 1.0, (BARKS, SEP): 1.0}
    cases, _ = read(to_head, tmp_path)
    assert hits_of(cases)["nsubj"]
    # What barks gets most from is the dog, so of the dog as a head nothing is found.
    assert not hits_of(cases, 1)["nsubj"]
    to_dependent = {(key, query): weight for (query, key), weight in to_head.items()}
    cases, _ = read(to_dependent, tmp_path)
    assert hits_of(cases, 1)["nsubj"]
    assert not hits_of(cases, 0)["nsubj"]


def test_the_clitic_speaks_for_the_possessor_in_a_row_of_its_own(tmp_path):
    """The 's attends to the dog, the possessor to the verb."""
    cases, _ = read({(KIM, BARKS): 1.0, (CLITIC, DOG): 1.0}, tmp_path)
    assert not hits_of(cases)[POSSESSIVE]
    assert hits_of(cases)[POSSESSIVE_CLITIC]
    # The other way round: what the possessor says no longer counts there.
    cases, _ = read({(KIM, DOG): 1.0, (CLITIC, BARKS): 1.0}, tmp_path)
    assert hits_of(cases)[POSSESSIVE]
    assert not hits_of(cases)[POSSESSIVE_CLITIC]
    offsets = dict(zip(cases.relation, cases.offset_hits.argmax(1), strict=True))
    assert offset_list(5)[offsets[POSSESSIVE]] == 2
    assert offset_list(5)[offsets[POSSESSIVE_CLITIC]] == 1
    # Where no 's follows, the possessor's own word counts in both rows.
    pronoun = [WORDS[0], word("old", 3, head=2, deprel="amod"), *WORDS[2:]]
    cases, _ = read({(KIM, DOG): 1.0, (CLITIC, BARKS): 1.0}, tmp_path, pronoun)
    assert hits_of(cases)[POSSESSIVE_CLITIC]


@pytest.mark.parametrize(
    ("root", "weights", "right"),
    [
        ("none", {CLS: 1.0}, False),
        ("cls", {CLS: 0.6, DOG: 0.4}, True),
        ("cls", {CLS: 0.3, SEP: 0.3, DOG: 0.4}, False),
        ("cls_and_sep", {CLS: 0.3, SEP: 0.3, DOG: 0.4}, True),
        ("cls_and_sep", {CLS: 0.1, SEP: 0.3, DOG: 0.6}, False),
    ],
)
def test_special_tokens_may_stand_for_the_head_of_a_root(root, weights, right, tmp_path):
    given = {(BARKS, key): weight for key, weight in weights.items()} | {(DOG, BARKS): 1.0}
    cases, _ = read(given, tmp_path, root=root)
    assert hits_of(cases)["root"] == right
    assert cases.rooted.tolist() == [name == "root" for name in cases.relation]
    assert hits_of(cases)["nsubj"]
    # No offset finds a root, wherever [CLS] is.
    assert not cases.offset_hits[cases.rooted].any()


def test_special_tokens_compete_with_words_where_they_stand_for_the_root(tmp_path):
    given = {(DOG, CLS): 0.7, (DOG, BARKS): 0.3}
    assert hits_of(read(given, tmp_path)[0])["nsubj"]
    assert not hits_of(read(given, tmp_path, root="cls")[0])["nsubj"]


def test_what_words_give_to_separators_by_hand(tmp_path):
    """The subject gives 0.1 to [SEP], the others 0.2, 0.3 and 0.5."""
    given = {(KIM, SEP): 0.2, (CLITIC, SEP): 0.3, (DOG, SEP): 0.1, (BARKS, SEP): 0.5}
    given |= {(DOG, CLS): 0.9, (CLS, SEP): 1.0, (SEP, SEP): 1.0}
    _, separators = read(given, tmp_path, separators=["nsubj"])
    found = separators["nsubj"]
    own = (2 * HEADS + 1) * len(DIRECTIONS)
    assert found.having[0, own] == pytest.approx(0.1)
    assert found.lacking[0, own] == pytest.approx(1.0)
    assert (found.words_having[0, own], found.words_lacking[0, own]) == (1, 3)
    # From head to dependent it is the verb that has the relation.
    assert found.having[0, own + 1] == pytest.approx(0.5)
    assert found.lacking[0, own + 1] == pytest.approx(0.6)
    # Another head gives a sixth to everything.
    assert found.having[0, 0] == pytest.approx(1 / 6)
    assert found.lacking[0, 0] == pytest.approx(0.5)


def test_words_that_were_cut_away_are_neither_cases_nor_heads(tmp_path):
    """Of three texts one has all of its words, one lost its verb and one its first word."""
    row = {"group": "a", "text_a": "Kim's dog barks", "words": WORDS, "mentions": []}
    corpus = corpus_frame(row | {"id": name} for name in "abc")
    recording = Hand(corpus)
    recording.given = {}
    for text, lost in ((1, 3), (2, 0)):
        words = recording.tokens["word"][text]
        recording.tokens.at[text, "word"] = [-1 if word == lost else word for word in words]
    cases, _ = read_words(recording, oracle_texts(corpus, tmp_path), PARAMETERS)
    found = [sorted(cases.relation[cases.text == text]) for text in range(3)]
    clitics = sorted([POSSESSIVE, POSSESSIVE_CLITIC, "possessive"])
    assert found == [sorted([*clitics, "nsubj", "root"]), clitics, ["nsubj", "root"]]


def test_a_word_whose_head_was_cut_away_is_neither(tmp_path):
    lost = [*WORDS[:2], WORDS[2] | {"head": 9}, WORDS[3]]
    cases, separators = read({(DOG, SEP): 1.0}, tmp_path, lost, separators=["nsubj"])
    assert "nsubj" not in cases.relation
    found = separators["nsubj"]
    assert (found.words_having[0, 0], found.words_lacking[0, 0]) == (0, 3)


def test_what_stands_in_a_relation_to_the_first_word_has_it(tmp_path):
    words = [WORDS[0], *(entry | {"head": 0, "deprel": "nsubj"} for entry in WORDS[1:3]), WORDS[3]]
    _, separators = read({(DOG, SEP): 1.0}, tmp_path, words, separators=["nsubj"])
    own = (2 * HEADS + 1) * len(DIRECTIONS)
    found = separators["nsubj"]
    assert (found.words_having[0, own], found.words_lacking[0, own]) == (2, 2)
    # The first word alone is a head of them.
    assert (found.words_having[0, own + 1], found.words_lacking[0, own + 1]) == (1, 3)
