"""Inflection, trees, clauses and templates of the written tasks, against English by hand."""

from dataclasses import replace

import pytest

from stages.core.stage.files import InputError
from stages.core.written.clause import realise
from stages.core.written.comparison import WORD, overlap, template_of
from stages.core.written.inflection import Verb, comparative, plural
from stages.core.written.lexicon import Noun
from stages.core.written.meaning import Clause, Phrase, Style
from stages.core.written.template import fill
from stages.core.written.tree import Node, annotate, plain, sentence

ANNA = Phrase(
    Noun("Anna", "Anna", "person", gender="Fem", proper=True), 1, gender="Fem", determiner=""
)
NURSE = Phrase(Noun("nurse", "nurses", "person"), 2, adjectives=("old",))
BOOK = Phrase(Noun("book", "books", "document"), 3, gender="Neut", determiner="a")
CALL = Verb.parse("call")


def text(clause, **style):
    return annotate([sentence(realise(clause, Style(**style)))])["text_a"]


def relations(row):
    words = row["words"]
    return [
        (w["text"], w["deprel"], words[w["head"]]["text"] if w["head"] >= 0 else "") for w in words
    ]


@pytest.mark.parametrize(
    ("entry", "forms"),
    [
        ("call", ("calls", "called", "called", "calling")),
        ("carry", ("carries", "carried", "carried", "carrying")),
        ("hug", ("hugs", "hugged", "hugged", "hugging")),
        ("visit", ("visits", "visited", "visited", "visiting")),
        ("watch", ("watches", "watched", "watched", "watching")),
        ("write/wrote/written", ("writes", "wrote", "written", "writing")),
        ("cancel/cancelled", ("cancels", "cancelled", "cancelled", "cancelling")),
        ("begin/began/begun", ("begins", "began", "begun", "beginning")),
        ("see/saw/seen", ("sees", "saw", "seen", "seeing")),
    ],
)
def test_verb_forms(entry, forms):
    verb = Verb.parse(entry)
    assert (verb.third, verb.past, verb.participle, verb.gerund) == forms


def test_nouns_and_adjectives():
    assert [plural(n) for n in ("bus", "city", "key", "child/children", "fish market")] == [
        "buses",
        "cities",
        "keys",
        "children",
        "fish markets",
    ]
    assert [comparative(a) for a in ("tall", "lazy", "brave", "famous", "old", "careful")] == [
        "taller",
        "lazier",
        "braver",
        None,
        "older",
        None,
    ]


def test_one_meaning_in_several_styles():
    clause = Clause(ANNA, CALL, object=NURSE, time="last week", manner="quietly")
    assert text(clause) == "Anna called the old nurse quietly last week."
    assert text(clause, passive=True) == "The old nurse was called by Anna quietly last week."
    assert (
        text(clause, front_time=True, early_manner=True)
        == "Last week, Anna quietly called the old nurse."
    )
    assert (
        text(replace(clause, negated=True)) == "Anna did not call the old nurse quietly last week."
    )
    assert (
        text(replace(clause, negated=True, modal="will"), passive=True)
        == "The old nurse will not be called by Anna quietly last week."
    )


def test_dative_particle_and_comparison():
    gave = Clause(ANNA, Verb.parse("give/gave/given"), object=BOOK, recipient=NURSE)
    assert text(gave) == "Anna gave the old nurse a book."
    assert text(gave, to_recipient=True) == "Anna gave a book to the old nurse."
    picked = Clause(ANNA, Verb.parse("pick up"), object=BOOK)
    assert text(picked, particle_last=True) == "Anna picked a book up."
    assert text(replace(picked, object=BOOK.as_pronoun())) == "Anna picked it up."
    taller = Clause(ANNA, adjective="tall", degree="comparative", standard=NURSE)
    assert text(taller) == "Anna was taller than the old nurse."
    assert text(replace(taller, degree="equal")) == "Anna was as tall as the old nurse."
    assert text(replace(taller, degree="inferior")) == "Anna was less tall than the old nurse."


def test_annotation_of_a_passive_with_possessor_and_article():
    book = replace(BOOK, noun=Noun("atlas", "atlases", "document"), owner=None)
    clause = Clause(replace(NURSE, owner=ANNA), CALL, object=book)
    row = annotate([sentence(realise(clause, Style(passive=True)))])
    assert row["text_a"] == "An atlas was called by Anna's old nurse."
    assert relations(row) == [
        ("An", "det", "atlas"),
        ("atlas", "nsubj:pass", "called"),
        ("was", "aux:pass", "called"),
        ("called", "root", ""),
        ("by", "case", "nurse"),
        ("Anna", "nmod:poss", "nurse"),
        ("'s", "case", "Anna"),
        ("old", "amod", "nurse"),
        ("nurse", "obl:agent", "called"),
        (".", "punct", "called"),
    ]
    assert [row["text_a"][w["start"] : w["end"]] for w in row["words"]] == [
        w["text"] for w in row["words"]
    ]
    spans = [(m["first"], m["last"], m["head"], m["kind"]) for m in row["mentions"]]
    assert spans == [(0, 1, 1, "nominal"), (5, 8, 8, "nominal"), (5, 5, 5, "proper")]


def test_pronouns_corefer_and_agree():
    inner = Clause(ANNA.as_pronoun(), CALL, object=NURSE)
    clause = Clause(ANNA, Verb.parse("say/said/said"), complement=inner)
    row = annotate([sentence(realise(clause))])
    assert row["text_a"] == "Anna said that she called the old nurse."
    anna, she, nurse = row["mentions"]
    assert anna["cluster"] == she["cluster"] != nurse["cluster"]
    assert she["kind"] == "pronoun"
    assert "Gender=Fem" in row["words"][3]["feats"]
    ccomp = row["words"][4]
    assert (ccomp["text"], ccomp["deprel"], ccomp["head"]) == ("called", "ccomp", 1)


def test_relative_clauses_on_subject_and_object():
    inner = Clause(NURSE, CALL, object=ANNA, gap="subject")
    told = Clause(replace(NURSE, relative=inner), Verb.parse("laugh"))
    row = annotate([sentence(realise(told))])
    assert row["text_a"] == "The old nurse who called Anna laughed."
    assert relations(row)[3:5] == [("who", "nsubj", "called"), ("called", "acl:relcl", "nurse")]
    inner = replace(inner, subject=ANNA, object=NURSE, gap="object")
    told = replace(told, subject=replace(NURSE, relative=inner))
    assert text(told) == "The old nurse that Anna called laughed."


def test_a_pair_shares_its_content_words():
    one, other = (
        [sentence(realise(Clause(a, CALL, object=b)))] for a, b in ((ANNA, NURSE), (NURSE, ANNA))
    )
    row = annotate(one, other)
    # Anna called the old nurse . The old nurse called Anna .
    assert row["text_b"] == "The old nurse called Anna."
    pairs = {(pair["a"], pair["b"]) for pair in row["shared"]}
    assert pairs == {(0, 10), (1, 9), (3, 7), (4, 8)}
    assert len({m["cluster"] for m in row["mentions"]}) == 4


def test_overlap_counts_words_of_the_second_text():
    assert overlap("Anna met the nurse.", "The old nurse met the cook") == (6, 5, 3)
    assert overlap("Anna's well-known hat", "a well") == (2, 2, 1)


def test_plain_words_are_those_of_the_text():
    for style in (Style(), Style(passive=True)):
        root = sentence(realise(Clause(replace(NURSE, owner=ANNA), CALL, object=BOOK), style))
        read = annotate([root])["text_a"]
        assert overlap(read, plain(root)) == overlap(plain(root), read)
        assert overlap(read, plain(root))[0] == len(WORD.findall(read))
    atlas = replace(BOOK, noun=Noun("atlas", "atlases", "document"))
    assert plain(realise(Clause(ANNA, CALL, object=atlas))) == "anna called an atlas"


def test_a_template_is_a_text_without_its_content_words():
    told = Clause(ANNA, CALL, object=NURSE, negated=True)
    assert template_of(sentence(realise(told))) == "PROPN did not VERB the ADJ NOUN ."
    other = replace(told, subject=replace(ANNA, noun=replace(ANNA.noun, singular="Eva")))
    assert template_of(sentence(realise(other))) == template_of(sentence(realise(told)))


def test_negation_is_a_word():
    clause = Clause(replace(ANNA, determiner=""), CALL, object=NURSE, negated=True)
    flagged = [w["text"] for w in annotate([realise(clause)])["words"] if w["negation"]]
    assert flagged == ["not"]


def test_a_template_gives_its_own_tree():
    root = fill(
        "{aspect}>4:nsubj was~were=be/AUX>4:cop not/PART>4:advmod {opinion}>0:root",
        {"aspect": Node("songs", "NOUN"), "opinion": Node("good", "ADJ")},
        plural=True,
    )
    row = annotate([root])
    assert row["text_a"] == "Songs were not good"
    assert row["words"][1]["lemma"] == "be"
    assert [w["head"] for w in row["words"]] == [3, 3, 3, -1]


@pytest.mark.parametrize(
    "template",
    ["good", "good/ADJ>1:root", "a/DET>3:det b/NOUN>0:root c/NOUN>2:obj d/NOUN>9:x"],
)
def test_a_template_that_makes_no_tree_is_refused(template):
    with pytest.raises(InputError, match="template"):
        fill(template, {})


def test_a_template_with_crossing_heads_is_refused():
    with pytest.raises(InputError, match="projective"):
        fill("a/X>3:x b/X>4:x c/X>0:root d/X>3:x", {})
