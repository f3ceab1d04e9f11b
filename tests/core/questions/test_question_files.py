"""Questions from files in the layouts of DREAM and RACE, and of our own."""

import json

import pytest

from stages.core.questions.question import Question
from stages.core.questions.question_files import read_question_files
from stages.core.stage.files import InputError

DREAM = [
    [
        ["M: Was it cold?", "W: No, warm."],
        [
            {"question": "How was it?", "choice": ["Cold.", "Warm.", "Wet."], "answer": "Warm."},
            {
                "question": "Who asks?",
                "choice": ["A man.", "A woman.", "A child."],
                "answer": "A man.",
            },
        ],
        "7-1",
    ],
    [["W: Hello."], [{"question": "Who?", "choice": ["He.", "She."], "answer": "She."}], "7-2"],
]
RACE = {
    "article": "It rained.",
    "questions": ["What?", "It _ ."],
    "options": [["Rain", "Snow", "Hail", "Wind"], ["blew", "hailed", "snowed", "rained"]],
    "answers": ["A", "D"],
    "id": "high1.txt",
}
OWN = {"passage": "It rained.", "question": "What?", "options": ["Snow", "Rain"], "answer": 1}
OWN_QUESTION = Question("a-0", "It rained.", "What?", ("Snow", "Rain"), 1)


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def lines(path, values):
    text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in values)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def test_dream(tmp_path):
    passage = "M: Was it cold? W: No, warm."
    assert read_question_files(write(tmp_path / "dev.json", DREAM), "dream") == [
        Question("7-1-0", passage, "How was it?", ("Cold.", "Warm.", "Wet."), 1),
        Question("7-1-1", passage, "Who asks?", ("A man.", "A woman.", "A child."), 0),
        Question("7-2-0", "W: Hello.", "Who?", ("He.", "She."), 1),
    ]


def test_race_in_a_folder_and_in_lines(tmp_path):
    write(tmp_path / "dev" / "middle" / "2.txt", RACE | {"id": "middle2.txt"})
    write(tmp_path / "dev" / "high" / "1.txt", RACE)
    (tmp_path / "dev" / "notes.md").write_text("no question")
    found = read_question_files(tmp_path / "dev", "race")
    assert [one.id for one in found] == [
        "high1.txt-0",
        "high1.txt-1",
        "middle2.txt-0",
        "middle2.txt-1",
    ]
    assert [one.answer for one in found] == [0, 3, 0, 3]
    assert found[1].pair(3) == ("It rained.", "It rained .")
    one_file = lines(tmp_path / "dev.jsonl", [RACE, "", RACE | {"id": "middle2.txt"}])
    assert read_question_files(one_file, "race") == found


def test_race_without_ids_takes_the_names_of_files(tmp_path):
    for folder in ("high", "middle"):
        values = {key: value for key, value in RACE.items() if key != "id"}
        write(tmp_path / folder / "1.txt", values)
    found = read_question_files(tmp_path, "race")
    assert [one.id for one in found] == ["high/1-0", "high/1-1", "middle/1-0", "middle/1-1"]


def test_our_own_keys(tmp_path):
    by_text = OWN | {"answer": "Rain", "id": "x"}
    own = read_question_files(write(tmp_path / "a.json", [OWN, by_text]), "questions")
    assert own[0] == OWN_QUESTION
    assert (own[1].id, own[1].answer) == ("x", 1)
    # Text that looks like a place, and a separator that ends no line.
    numbers = OWN | {"options": ["3", "1\u2028"], "answer": "3"}
    found = read_question_files(lines(tmp_path / "b.jsonl", [OWN, numbers]), "questions")
    assert [(one.id, one.answer) for one in found] == [("b-1", 1), ("b-2", 0)]


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({"answer": "Hail"}, r"`answer` is 'Hail', none of the options \['Snow', 'Rain'\]; mend"),
        ({"answer": 2}, "the answer is 2, no place of an option; give 0 to 1"),
        ({"answer": True}, "`answer` is True, none of the options"),
        ({"answer": 1.0}, "`answer` is 1.0, none of the options"),
        ({"passage": ""}, "`passage` is ''; give a text"),
        ({"question": None}, "`question` is None; give a text"),
        ({"options": "Snow"}, "`options` is 'Snow'; give a list of texts"),
        ({"options": ["Rain", 3]}, "`options` is .*; give a list of texts"),
        ({"options": ["Rain", "Rain"]}, "another option is 'Rain' too"),
        ({"passage": 3}, "`passage` is 3; give a text"),
        ({"question": "What \ud83d?"}, "`question` has half of a surrogate pair"),
        ({"options": ["Snow", "Rain \ud83d"]}, "`options` has half of a surrogate pair"),
        ({"options": ["Rain", None]}, "`options` is .*; give a list of texts"),
        ({"answer": 10**400}, "the answer is 1000"),
        ({"id": None}, "missing text as `id`; give a text or a number"),
        ({"id": "\ud83d"}, "half of a surrogate pair .* as `id`"),
        ({"id": "b-1"}, "`id`: 'b-1' is that of .*b.jsonl, line 1 too; make ids unique"),
    ],
)
def test_bad_rows_are_named_or_left_out(tmp_path, changes, fault, capsys):
    path = lines(tmp_path / "b.jsonl", [OWN, OWN | changes, OWN])
    with pytest.raises(InputError, match=rf"no questions \(1\):\n  \S*b.jsonl, line 2: {fault}"):
        read_question_files(path, "questions")
    found = read_question_files(path, "questions", "skip")
    assert [one.id for one in found] == ["b-1", "b-3"]
    assert "1 rows left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    "key, value, fault",
    [
        ("answers", ["A"], "`answers` has 1 entries, `questions` 2"),
        (
            "answers",
            ["A", "E"],
            "question 1: `answers` has 'E'; give one of the letters A, B, C, D",
        ),
        ("answers", ["A", ""], "question 1: `answers` has ''"),
        ("answers", ["AB", "A"], "question 0: `answers` has 'AB'"),
        ("options", 3, "`options` is no list"),
        ("questions", ["What?", " "], "question 1: `questions` is ' '; give a text"),
        ("article", "", "`article` is ''"),
    ],
)
def test_bad_rows_of_race(tmp_path, key, value, fault):
    path = write(tmp_path / "1.txt", RACE | {key: value})
    with pytest.raises(InputError, match=rf"1.txt(, )?(: )?{fault}"):
        read_question_files(tmp_path, "race")
    assert path.is_file()


def test_bad_rows_of_dream(tmp_path):
    spoilt = json.loads(json.dumps(DREAM))
    spoilt[0][1][1]["answer"] = "Nobody."
    del spoilt[1][1][0]["choice"]
    spoilt.append(["no", "dialogue"])
    with pytest.raises(InputError) as error:
        read_question_files(write(tmp_path / "dev.json", spoilt), "dream")
    message = str(error.value)
    assert "dev.json, row 0, question 1: `answer` is 'Nobody.', none of the options" in message
    assert "dev.json, row 1, question 0: no key `choice`; its keys are question, answer" in message
    assert "dev.json, row 2: not `[turns, questions, id]`" in message
    found = read_question_files(tmp_path / "dev.json", "dream", "skip")
    assert [one.id for one in found] == ["7-1-0"]


def test_many_bad_rows_are_counted(tmp_path):
    path = lines(tmp_path / "b.jsonl", [OWN | {"answer": 9}] * 8)
    with pytest.raises(InputError, match=r"\(8\):(\n  .*){5}\n  and 3 more\nmend them"):
        read_question_files(path, "questions")
    with pytest.raises(InputError, match="no questions; check the file and its layout"):
        read_question_files(path, "questions", "skip")


def test_lines_that_are_no_json_may_be_left_out(tmp_path, capsys):
    bad = ["{", "[" * 100_000, '{"passage": ' + "1" * 5000 + "}"]
    path = lines(tmp_path / "b.jsonl", [OWN, *bad, OWN])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert [one.id for one in read_question_files(path, "questions", "skip")] == ["b-1", "b-5"]
    assert "b.jsonl, line 3: not JSON (lists or objects too deep" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"no questions \(3\)"):
        read_question_files(path, "questions")


def test_files_of_another_layout(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_question_files(tmp_path / "a.json", "dream")
    with pytest.raises(InputError, match=r"takes \.jsonl or a folder"):
        read_question_files(tmp_path / "a.json", "race")
    with pytest.raises(InputError, match="no .txt file in this folder"):
        read_question_files(tmp_path, "race")
    with pytest.raises(InputError, match="no JSON list of rows"):
        read_question_files(write(tmp_path / "a.json", OWN), "questions")
    with pytest.raises(InputError, match=r"b.jsonl, line 2: not JSON \(.*; mend it"):
        read_question_files(lines(tmp_path / "b.jsonl", [OWN, "{"]), "questions")
    (tmp_path / "c.json").write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_question_files(tmp_path / "c.json", "dream")
