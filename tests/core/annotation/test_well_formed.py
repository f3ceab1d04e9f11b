"""Damaged CoNLL-U: each fault is named with its file, line and sentence, and nothing is read."""

from pathlib import Path

import pytest

from stages.core.annotation.treebank import sentences
from stages.core.stage.files import InputError

# A sentence before it and comments: its words begin in this line.
FIRST = [("1", "Go", "0"), ("2", "home", "1")]
LINE = 9


def written(folder: Path, words: list[tuple[str, str, str]], columns: int = 10) -> Path:
    """A file whose second sentence has these words: id, form, head."""
    text = "# global = yes\n"
    for rows in (FIRST, words):
        text += "# newdoc id = d\n# sent_id = s\n" if rows is FIRST else "# one\n# two\n"
        for identity, form, head in rows:
            fields = [identity, form, "_", "X", "_", "_", head, "dep", "_", "_"]
            text += "\t".join(fields[:columns] if rows is words else fields) + "\n"
        text += "\n"
    file = folder / "damaged.conllu"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("words", "place", "complaint"),
    [
        ([("1", "a", "0"), ("2", "b", "99")], 1, "the head of word 2 is 99, no number from 0 to 2"),
        ([("1", "a", "0"), ("2", "b", "-5")], 1, "the head of word 2 is -5"),
        ([("1", "a", "0"), ("2", "b", "_")], 1, "the head of word 2 is _"),
        ([("1", "a", "2"), ("2", "b", "1")], 0, "the heads of word 1 go in a circle"),
        ([("1", "a", "0"), ("2", "b", "2")], 1, "the heads of word 2 go in a circle"),
        ([("1", "a", "0"), ("2", "b", "3"), ("3", "c", "2")], 1, "word 2 go in a circle"),
        ([("1", "a", "0"), ("1", "b", "1")], 1, "the id is 1, but the next word is number 2"),
        ([("2", "a", "0"), ("1", "b", "2")], 0, "the id is 2, but the next word is number 1"),
        ([("0", "a", "1"), ("1", "b", "0")], 0, "the id is 0, but the next word is number 1"),
        ([("1", "a", "0"), ("3", "b", "1")], 1, "the id is 3, but the next word is number 2"),
        ([("1-3", "ab", "_"), ("1", "a", "0"), ("2", "b", "1")], 0, "the range ends at 3"),
        ([("1", "a", "0"), ("1-2", "ab", "_"), ("2", "b", "1")], 1, "the range 1-2 does not stand"),
        ([("2-1", "ab", "_"), ("1", "a", "0"), ("2", "b", "1")], 0, "the range 2-1 does not"),
        (
            [("1-3", "ab", "_"), ("1", "a", "0"), ("2-3", "b", "_"), ("2", "b", "1")],
            2,
            "the range 2-3 does not stand",
        ),
        ([("one", "a", "0")], 0, "'one' is no id"),
        # Python refuses to read numbers of 5,000 digits.
        ([("9" * 5000, "a", "0")], 0, f"'{'9' * 30}' is no id"),
        ([("1", "a", "9" * 5000)], 0, f"the head of word 1 is {'9' * 30}, no number from 0 to 1"),
        ([("1", "a  b", "0")], 0, "two spaces stand together"),
        ([("1", "", "0")], 0, "the column FORM is empty; write _"),
    ],
)
def test_a_sentence_that_cannot_be(tmp_path, words, place, complaint):
    file = written(tmp_path, words)
    with pytest.raises(InputError) as refusal:
        list(sentences(file))
    where = f"{file}, line {LINE + place} (sentence 2): "
    assert str(refusal.value).startswith(where)
    assert complaint in str(refusal.value)


@pytest.mark.parametrize("cell", ["", " ", "\u00a0", "\u2028", "\x1f", "\r"])
def test_the_last_cell_is_not_empty(tmp_path, cell):
    file = tmp_path / "a.conllu"
    file.write_bytes(f"1\ta\ta\tX\t_\t_\t0\troot\t_\t{cell}\n\n".encode())
    with pytest.raises(InputError, match=r"a\.conllu, line 1 .*the column MISC is empty; write _"):
        list(sentences(file))


@pytest.mark.parametrize("columns", [3, 9])
def test_too_few_columns(tmp_path, columns):
    file = written(tmp_path, [("1", "a", "0")], columns)
    with pytest.raises(InputError, match=rf"line {LINE} \(sentence 2\): {columns} columns, not 10"):
        list(sentences(file))


def test_what_the_format_allows_is_read(tmp_path):
    """Ranges, empty nodes anywhere, several roots, heads before and after."""
    words = [
        ("0.1", "silent", "_"),
        ("1-2", "ab", "_"),
        ("1", "a", "2"),
        ("2", "b", "0"),
        ("2.1", "silent", "_"),
        ("3-5", "cde", "_"),
        ("3", "c", "5"),
        ("4", "d", "3"),
        ("5", "e", "0"),
    ]
    first, second = sentences(written(tmp_path, words))
    assert [token["form"] for token in first[0]] == ["Go", "home"]
    assert [token["form"] for token in second[0]] == [form for _, form, _ in words]
    assert first[1] == second[1] == "d"


def test_a_file_of_another_encoding(tmp_path):
    file = tmp_path / "latin.conllu"
    file.write_bytes("1\tété\t_\tX\t_\t_\t0\troot\t_\t_\n\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.conllu, line 1: not UTF-8"):
        list(sentences(file))
