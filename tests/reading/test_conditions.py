"""Versions of questions, and readers whose answers are known without asking them."""

import numpy as np
import pytest

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.question import Question
from stages.core.questions.unanswerable import REMOVALS
from stages.reading.attacks import CONTROLS, NAMES, TO_PASSAGE
from stages.reading.baselines import random_guess
from stages.reading.conditions import (
    Version,
    all_versions,
    different_rows,
    intact_alone,
    some_questions,
)
from stages.reading.results import outcome_rows, passages_of, scores_table, shuffled_rows
from stages.reading.scoring import outcomes_of
from stages.reading.tables import ALL
from tests.reading.made import Matches, questions, reads_nothing

COUNT, DEGREE, SEED = 12, 0.65, 3


@pytest.fixture(scope="module")
def tokenizer(tiny_checkpoints):
    return load_tokenizer(tiny_checkpoints["bert"])


@pytest.fixture(scope="module")
def made(tokenizer):
    return all_versions(tokenizer, questions(COUNT), 60, SEED, DEGREE)


def test_every_version_is_made_once_with_its_intact_questions(made):
    expected = {Version("intact"), *(Version(name) for name in REMOVALS)}
    for at, controls in CONTROLS.items():
        expected |= {Version(name, at) for name in ("intact", at, *controls)}
    assert set(made.inputs) == expected
    assert set(made.attacked) == set(NAMES)


def test_an_attack_and_what_it_is_compared_with_have_the_same_passage(tokenizer):
    made = all_versions(tokenizer, questions(COUNT), 30, SEED, DEGREE)
    whole = made.inputs[Version("intact")]
    for at, controls in CONTROLS.items():
        kept = [made.inputs[Version(name, at)].kept for name in ("intact", at, *controls)]
        for other in kept[1:]:
            np.testing.assert_array_equal(kept[0], other)
        assert (kept[0] <= whole.kept).all()
    # The attacks leave less room for some of these passages.
    cut = made.inputs[Version("intact", TO_PASSAGE)].kept
    assert (cut < whole.kept).any()


def test_without_the_question_there_is_no_more_of_the_passage(tokenizer):
    made = all_versions(tokenizer, questions(COUNT), 30, SEED, DEGREE)
    whole = made.inputs[Version("intact")]
    assert (whole.cut > 0).any()
    np.testing.assert_array_equal(made.inputs[Version("Q-Remove")].kept, whole.kept)
    for name in ("P-Remove", "PQ-Remove"):
        assert not made.inputs[Version(name)].kept.any()


def test_who_reads_nothing_is_at_chance_under_every_condition(made):
    chance = random_guess(questions(COUNT))
    for right in outcomes_of(made.inputs, reads_nothing).values():
        assert right.tolist() == chance.tolist()


def test_who_matches_words_is_fooled_where_words_are_added(tokenizer, made):
    found = outcomes_of(made.inputs, Matches(tokenizer))

    def right(name: str, at: str = "whole") -> list[float]:
        return found[Version(name, at)][:4].tolist()

    # The passage has all words of the right options, and of the others none.
    for at in CONTROLS:
        assert right("intact", at) == [1, 1, 1, 1]
    assert right("intact") == right("Q-Remove") == [1, 1, 1, 1]
    chance = random_guess(questions(4)).tolist()
    assert right("P-Remove") == right("PQ-Remove") == chance
    # Of three wrong options with words of the passage, one or more have as many as the right one.
    # By hand: q-0 "small cat" against two options of two words, all of them appended; q-1 three of
    # one word; q-2 "river" against "book dog", now both there; q-3 "child" against "book song".
    assert right(TO_PASSAGE, TO_PASSAGE) == pytest.approx([1 / 3, 1 / 3, 0, 0])
    # A sentence of the passage has more of its words than the right option has.
    for name in ("AddSent2Opt-Shuffle", "Sent2Opt-Shuffle", "AddSent2Opt"):
        assert right(name, "AddSent2Opt-Shuffle") == [0, 0, 0, 0]
    # With the words of the right option in each, all options are alike.
    for name in ("AddAns2Opt-Shuffle", "Ans2Opt-Shuffle", "AddAns2Opt"):
        assert right(name, "AddAns2Opt-Shuffle") == pytest.approx(chance)


def test_right_options_that_cannot_be_shuffled_are_not_told_apart(made):
    # All right options here have one word or two.
    assert not made.told_apart("Ans2Opt-Shuffle").any()
    for name in set(NAMES) - {"Ans2Opt-Shuffle"}:
        assert made.told_apart(name).all()
    rows = shuffled_rows(made).set_index("condition")
    assert rows.loc["Ans2Opt-Shuffle", "same_as_right"] == COUNT
    assert rows.loc["AddAns2Opt-Shuffle", "same_as_right"] == 0
    wrong = sum(len(one.wrong) for one in questions(COUNT))
    assert rows.loc["Ans2Opt-Shuffle", ["texts", "left"]].tolist() == [wrong, wrong]
    assert rows.loc[["AddSent2Opt", "AddAns2Opt"], "texts"].tolist() == [0, 0]
    assert rows.loc[TO_PASSAGE, "smallest_degree"] >= DEGREE


def test_some_questions_told_apart_and_others_not(tokenizer):
    right = "a small cat sees the house"
    own = Question("long", "the dog . " + right, "who ?", (right, "book", "red song"), 0)
    every = [own, *questions(3)]
    made = all_versions(tokenizer, every, 60, SEED, DEGREE)
    assert made.told_apart("Ans2Opt-Shuffle").tolist() == [True, False, False, False]
    outcomes = outcomes_of(made.inputs, Matches(tokenizer))
    rows = outcome_rows(outcomes, made, every)
    table = scores_table(rows, passages_of(every), 10, 0)
    table = table.set_index(["condition", "at", "among"])
    place = ("Ans2Opt-Shuffle", "AddAns2Opt-Shuffle")
    # The same words in another order: whoever counts them cannot tell.
    for condition in ("Ans2Opt-Shuffle", "AddAns2Opt-Shuffle"):
        row = table.loc[(condition, "AddAns2Opt-Shuffle", "Ans2Opt-Shuffle")]
        assert row["accuracy"] == pytest.approx(1 / 3)
        assert row[["examples", "passages"]].tolist() == [1, 1]
    # Under the other control all can be told apart.
    row = table.loc[("AddAns2Opt", "AddAns2Opt-Shuffle", "AddAns2Opt")]
    assert row[["examples", "passages"]].tolist() == [4, 3]
    assert row["accuracy"] == table.loc[("AddAns2Opt", "AddAns2Opt-Shuffle", ALL), "accuracy"]
    of_all = (1 / 3 + random_guess(every[1:]).sum()) / 4
    assert table.loc[(*place, ALL), "accuracy"] == pytest.approx(of_all)
    # Two of the questions share a passage.
    assert table.loc[(*place, ALL), ["examples", "passages"]].tolist() == [4, 3]
    assert not [key for key in table.index if key[1] == TO_PASSAGE and key[2] != ALL]
    assert {len(drawn) for drawn in table["accuracy_drawn"]} == {10}


def test_rows_that_conditions_share_are_run_once(made):
    rows, places = different_rows(list(made.inputs.values()))
    lines = rows.inputs["input_ids"]
    keys = {(tuple(ids), sum(own)) for ids, own in zip(lines, rows.segments, strict=True)}
    assert len(keys) == len(lines)
    total = sum(map(len, places))
    assert len(lines) < 0.7 * total
    for inputs, own in zip(made.inputs.values(), places, strict=True):
        assert [lines[row] for row in own] == inputs.encoded.inputs["input_ids"]
        assert [rows.segments[row] for row in own] == inputs.encoded.segments


def test_some_questions_are_the_rows_of_these(made):
    inputs = made.inputs[Version(TO_PASSAGE, TO_PASSAGE)]
    some = some_questions(inputs, np.array([5, 2]))
    assert some.counts.tolist() == [3, 2]
    assert some.answers.tolist() == [0, 1]
    expected = [inputs.encoded.inputs["input_ids"][row] for row in inputs.rows_of(np.array([5, 2]))]
    assert some.encoded.inputs["input_ids"] == expected
    assert some.appended.tolist() == inputs.appended[[5, 2]].tolist()


def test_what_readers_of_unanswerable_questions_are_asked(tokenizer):
    (condition,) = intact_alone(tokenizer, questions(4), 60)
    assert condition == Version("intact", "whole")
