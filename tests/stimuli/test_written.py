"""Generated sentences are what their columns say, by the same derivation as the release."""

from collections import Counter

import pytest

from stages.core.stage.files import InputError
from stages.core.stage.settings import checked
from stages.core.stimuli.entries import Stimuli, WrittenStimuli
from stages.core.stimuli.store import MAIN_AUXILIARY, MODIFIERS, NTH_TOKEN, SUBJECT_NOUN
from stages.stimuli.grammar import probe_rows
from stages.stimuli.lexicon import CONTENT, Words, read_words
from stages.stimuli.structure import structure_of
from stages.stimuli.written import attention_rows

ENTRY = WrittenStimuli(source="written", train=120, test=60, sentences=25, seed=3)
WORDS = Words(read_words())
# Condition: modifier, distractors, how many agree, without the suffix of a modal.
LEGEND = {
    "A1": ("prepositional", 1, 1),
    "A2": ("prepositional", 1, 0),
    "A3": ("relative", 1, 1),
    "A4": ("relative", 1, 0),
    "R1": ("object", 1, 1),
    "R2": ("object", 1, 0),
    "R3": ("relative", 1, 1),
    "R4": ("relative", 1, 0),
    "R5": ("relative and object", 2, 2),
    "R6": ("relative and object", 2, 1),
    "R7": ("relative and object", 2, 1),
    "R8": ("relative and object", 2, 0),
}


@pytest.fixture(scope="module")
def attention():
    return list(attention_rows(ENTRY))


@pytest.fixture(scope="module")
def probes():
    return list(probe_rows(ENTRY))


def test_conditions_are_derived_from_the_words_alone(attention):
    for row in attention:
        name, _, modal = row["condition"].partition(" ")
        assert (row["modifier"], row["distractors"], row["matching"]) == LEGEND[name]
        assert row["modifier"] in MODIFIERS
        expected = "modal" if modal or name[0] == "R" else "agreeing"
        assert row["auxiliary"] == expected
        own = structure_of(row["words"], WORDS.vocabulary)
        assert {key: row[key] for key in own} == own
        said = row["words"]
        assert all(said[place[0]] in WORDS.table["determiners"] for place in row["wrong"])
        assert len(set(row["items"])) == 1 + row["distractors"]
    counts = Counter(row["condition"] for row in attention)
    assert len(counts) == 16
    assert set(counts.values()) == {25}


def test_agreeing_auxiliaries_agree_and_reflexives_too(attention):
    nouns = WORDS.vocabulary.nouns
    for row in attention:
        subject, source = (row["words"][place] for place in (row["right"][1], row["source"]))
        if row["phenomenon"] == "reflexive":
            assert WORDS.vocabulary.reflexives[source] == nouns[subject].gender
        elif row["auxiliary"] == "agreeing":
            assert WORDS.vocabulary.agreeing[source] == nouns[subject].number


def test_the_conditions_of_a_draw_have_the_same_words(attention):
    first = {row["condition"]: row for row in attention if row["id"].endswith("-1")}
    assert first["A1"]["items"] == first["A4 modal"]["items"]
    assert first["R1"]["items"][0] == first["R8"]["items"][0]


def test_a_probe_asks_for_the_right_word(probes):
    modals = WORDS.table["modals"]
    for row in probes:
        said, target, first = row["words"], row["target"], row["first"]
        if row["probe"] == NTH_TOKEN:
            assert target == row["position"] - 1
            assert len(said) > max(range(2, 10))
            continue
        if row["probe"] == MAIN_AUXILIARY:
            assert said[target] in modals
            assert first == min(place for place, one in enumerate(said) if one in modals)
        assert (first == target) == (row["part"] in ("train", "test")), row
        if row["part"] == "relative":
            # A clause on the subject, before the main auxiliary.
            assert {"who", "that"} & set(said[:target])
        if row["part"] == "possessive":
            assert said[first + 1] == "'s"
        if row["part"] == "compound":
            assert said[first] in WORDS.table["compounds"]
            assert target == first + 1
        if row["probe"] == SUBJECT_NOUN:
            assert WORDS.vocabulary.nouns[said[target]].lemma == row["items"][0]


def test_words_of_training_and_test_are_kept_apart(probes):
    content = {
        form for kind in CONTENT for word in WORDS.of(kind) for form in (word.split("/")[0],)
    } | set(WORDS.vocabulary.nouns)
    words = {
        train: {
            one
            for row in probes
            if (row["part"] == "train") == train
            for one in row["words"]
            if one in content
        }
        for train in (True, False)
    }
    assert words[True]
    assert words[False]
    assert not words[True] & words[False]


def test_no_word_is_of_two_kinds():
    counts = Counter(word for kind in CONTENT for word in WORDS.of(kind))
    assert [word for word, count in counts.items() if count > 1] == []
    function = {
        one
        for kind in ("determiners", "prepositions", "relatives", "modals")
        for one in WORDS.of(kind)
    }
    assert not function & (set(counts) | set(WORDS.vocabulary.nouns))
    forms = WORDS.vocabulary.nouns
    assert len(forms) == 2 * sum(len(WORDS.nouns(kind)) for kind in ("nouns", "female", "male"))


def test_sentences_are_repeatable_and_none_comes_twice(attention, probes):
    assert list(attention_rows(ENTRY)) == attention
    for kind in (MAIN_AUXILIARY, SUBJECT_NOUN):
        said = [(row["part"], *row["words"]) for row in probes if row["probe"] == kind]
        assert len(set(said)) == len(said)
    other = ENTRY.model_copy(update={"seed": 4})
    assert list(attention_rows(other)) != attention


def test_a_full_stop_may_be_left_out():
    without = next(attention_rows(ENTRY.model_copy(update={"full_stop": False})))
    assert "." not in without["words"]


def test_words_that_lack_a_list_are_refused():
    with pytest.raises(InputError, match="it lacks modals"):
        Words({key: value for key, value in WORDS.table.items() if key != "modals"})


def test_an_entry_says_its_source():
    with pytest.raises(InputError, match="source"):
        checked(Stimuli, {"source": "elsewhere"}, "here")
