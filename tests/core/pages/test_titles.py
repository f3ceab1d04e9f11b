"""Names that readers are told in words."""

import pytest

from stages.core.annotation.relations import STANFORD, relation_of
from stages.core.pages.titles import relation_in_words


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nsubj", "nsubj (subject)"),
        ("nsubj:pass", "nsubj:pass (passive subject)"),
        ("nsubj:outer", "nsubj:outer (subject)"),  # a kind of its relation
        ("nmod:poss, by its 's", "nmod:poss, by its 's (possessor)"),
        ("all words", "all words"),
        ("of another treebank", "of another treebank"),
    ],
)
def test_a_relation_is_named_and_said_in_words(name, said):
    assert relation_in_words(name) == said


def test_what_stanford_names_otherwise_has_words_too():
    for label in STANFORD.keys() - {"ROOT"}:
        assert relation_in_words(relation_of(label)).endswith(")")
