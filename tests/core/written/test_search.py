"""What titles offer for queries, and its grades, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from stages.core.written.lexicon import ANY, Lexicon, Noun
from stages.core.written.relevance import answers, question
from stages.core.written.search import GRADES, WEAK, Request, Route, Search, Topic, grade_of

SOFA = Topic(Noun("sofa", "sofas", "furniture"), "adjective", "leather")
CHAIR = replace(SOFA, noun=Noun("chair", "chairs", "furniture"))
WOODEN = {"constraint": "wooden"}


@pytest.mark.parametrize(
    ("offered", "grade"),
    [
        (Request(SOFA, "repair"), 5),
        (Request(SOFA, ""), 4),
        (Request(SOFA, "choose"), 3),
        (Request(replace(SOFA, **WOODEN), "repair"), 3),
        (Request(replace(SOFA, **WOODEN), "choose"), 2),
        (Request(replace(SOFA, **WOODEN), ""), 2),
        (Request(CHAIR, "repair"), 2),
        (Request(CHAIR, "choose"), 1),
        (Request(CHAIR, ""), 1),
        (Request(replace(CHAIR, **WOODEN), "repair"), 1),
        (Route("Oslo", "Bergen", "train"), 1),
    ],
)
def test_grades_of_what_is_offered_for_a_need(offered, grade):
    assert grade_of(Request(SOFA, "repair"), offered) == grade - 1


@pytest.mark.parametrize(
    ("offered", "grade"),
    [
        (Request(SOFA, ""), 5),
        (Request(SOFA, "repair"), 4),
        (Request(replace(SOFA, **WOODEN), ""), 3),
        (Request(replace(SOFA, **WOODEN), "repair"), 2),
        (Request(CHAIR, ""), 2),
        (Request(CHAIR, "repair"), 1),
        (Request(replace(CHAIR, **WOODEN), ""), 1),
    ],
)
def test_grades_of_what_is_offered_for_a_general_query(offered, grade):
    assert grade_of(Request(SOFA, ""), offered) == grade - 1


@pytest.mark.parametrize(
    ("offered", "grade"),
    [
        (("Oslo", "Bergen", "train"), 5),
        (("Oslo", "Bergen", ""), 4),
        (("Oslo", "Bergen", "bus"), 3),
        (("Oslo", "Paris", "train"), 3),
        (("Paris", "Bergen", "train"), 3),
        (("Paris", "Bergen", "bus"), 2),
        (("Oslo", "Paris", ""), 2),
        (("Bergen", "Oslo", "train"), 2),
        (("Bergen", "Oslo", "bus"), 1),
        (("Paris", "Rome", "train"), 1),
        (("Bergen", "Paris", "train"), 1),
    ],
)
def test_grades_of_what_is_offered_for_a_route(offered, grade):
    assert grade_of(Route("Oslo", "Bergen", "train"), Route(*offered)) == grade - 1


@pytest.mark.parametrize("split", ["train", "validation", ANY])
def test_a_title_has_the_grade_of_its_better_subject_and_more_of_the_querys_terms(split):
    search = Search(np.random.default_rng(3), Lexicon(split))
    added = []
    for turn in range(300):
        asked, grade = question(search), turn % len(GRADES)
        found = answers(search, asked, grade)
        grades = sorted(grade_of(asked, offered) for offered in found)
        assert grades[-1] == grade
        if len(found) == 2:
            better, worse = sorted(found, key=lambda offered: -grade_of(asked, offered))
            assert grades[0] <= WEAK and better != worse
            added.append(bool((asked.terms - better.terms) & worse.terms))
    assert np.mean(added) > 0.5


def test_a_synonym_is_no_other_thing():
    lexicon = Lexicon(ANY)
    search = Search(np.random.default_rng(0), lexicon)
    sofa = next(n for n in lexicon.nouns["home"]["furniture"] if n.singular == "sofa")
    asked = Request(Topic(sofa, "adjective", "large"), "repair")
    offered = {o.topic.noun.singular for _ in range(100) for o in search.offers(asked)}
    assert "couch" not in offered and len(offered) > 10
