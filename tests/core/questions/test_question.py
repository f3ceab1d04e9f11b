"""Questions as pairs of texts, in their file, and those that are refused."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.core.questions.question import (
    SCHEMA,
    Question,
    joined,
    read_questions,
    validate,
    write_questions,
)
from stages.core.stage.files import InputError

QUESTION = Question("a-0", "It rained.", "What did it do?", ("snow", "rain", "blow", "hail"), 1)
OTHER = Question("a-1", "It rained.", "It _.", ("rained", "snowed", "snowed"), 0)


def test_an_option_follows_its_question():
    assert QUESTION.pair(0) == ("It rained.", "What did it do? snow")
    assert QUESTION.pair(3) == ("It rained.", "What did it do? hail")
    assert (QUESTION.right, QUESTION.wrong) == ("rain", (0, 2, 3))


@pytest.mark.parametrize(
    "question, option, text",
    [
        ("It _ all day.", "rained.", "It rained all day."),
        ("It ______.", "rained.", "It rained."),
        ("The weather is  _", "bad.", "The weather is  bad."),
        ("_ is the hero.", "Tom.", "Tom is the hero."),
        ("He went to _ _ _.", "Rome", "He went to Rome."),
        ("_ and _ are alike.", "Ann", "Ann and Ann are alike."),
        ("_", "Ann.", "Ann."),
        ("", " Ann. ", "Ann."),
        ("Who?", " Ann. ", "Who? Ann."),
    ],
)
def test_a_cloze_question_has_the_option_in_its_gap(question, option, text):
    assert joined(question, option) == text


def test_without_passage_and_question_there_is_the_option_alone():
    bare = replace(QUESTION, passage="", question="")
    assert bare.pair(2) == ("", "blow")


def test_a_file_gives_back_what_was_written_and_is_the_same_to_the_byte(tmp_path):
    for name in ("one", "two"):
        write_questions([QUESTION, OTHER], tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert read_questions(tmp_path / "one") == [QUESTION, OTHER]
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["one", "two"]


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({"id": "a-0"}, "row 1 .*row 0 has this id too; make ids unique"),
        ({"id": " "}, "row 1 .*`id` is missing or empty"),
        ({"passage": " \n"}, "row 1 .*`passage` is missing or empty; fill or remove it"),
        ({"question": ""}, "row 1 .*`question` is missing or empty"),
        ({"options": ("rained",)}, "row 1 .*1 options; give at least 2"),
        ({"options": ("rained", "")}, "row 1 .*option 1 is missing or empty"),
        ({"options": ("rained", "rained")}, "row 1 .*another option is 'rained' too"),
        ({"options": ("rained", "rained ")}, "row 1 .*another option is 'rained' too"),
        ({"options": ("it\trained", " it  rained")}, "row 1 .*another option is .* too"),
        ({"answer": 3}, "row 1 .*answer is 3, no place of an option; give 0 to 2"),
        ({"answer": -1}, "row 1 .*answer is -1"),
    ],
)
def test_what_is_no_question_is_refused(tmp_path, changes, fault):
    with pytest.raises(InputError, match=f"some.parquet, {fault}"):
        validate([QUESTION, replace(OTHER, **changes)], "some.parquet")
    with pytest.raises(InputError, match=fault):
        write_questions([QUESTION, replace(OTHER, **changes)], tmp_path / "some.parquet")
    assert not list(tmp_path.iterdir())


def test_equal_distractors_are_a_question_still():
    validate([OTHER], "some.parquet")
    with pytest.raises(InputError, match="no questions"):
        validate([], "some.parquet")


def test_files_that_are_none_of_questions(tmp_path):
    path = tmp_path / "a.parquet"
    with pytest.raises(InputError, match="no such file"):
        read_questions(path)
    path.write_text("no parquet")
    with pytest.raises(InputError, match="not a readable parquet file"):
        read_questions(path)
    pq.write_table(pa.table({"id": ["a"]}), path)
    with pytest.raises(InputError, match=r"its columns are \['id'\]"):
        read_questions(path)
    row = {
        "id": ["a"],
        "passage": [None],
        "question": ["b"],
        "options": [["c", "d"]],
        "answer": [0],
    }
    pq.write_table(pa.table(row, schema=SCHEMA), path)
    with pytest.raises(InputError, match="row 0: `passage` is missing"):
        read_questions(path)
