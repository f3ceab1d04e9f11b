"""Lines of files and the JSON in them: what ends a line, and what is refused with which line."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from stages.core.lines import ending_of, json_document, json_objects, numbered_lines
from stages.core.stage.files import InputError

MANY = b"".join(b'{"id": %d}\n' % number for number in range(20_000))


def packed(path: Path, content: bytes) -> Path:
    kind = {".gz": "gzip", ".zst": "zstd"}[path.suffix]
    with pa.output_stream(str(path), compression=kind) as stream:
        stream.write(content)
    return path


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    others = "\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
    path = tmp_path / "a.txt"
    path.write_bytes(f"\ufeffone{others}\r\n\r\nthr\ufeffee".encode())
    lines = [(1, f"one{others}\r\n"), (2, "\r\n"), (3, "thr\ufeffee")]
    assert list(numbered_lines(path)) == lines
    for end in ("gz", "zst"):
        assert list(numbered_lines(packed(tmp_path / f"a.txt.{end}", path.read_bytes()))) == lines
        assert ending_of(tmp_path / f"a.txt.{end}") == ".txt"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("a\nbé\n".encode("latin-1"), "line 2: not UTF-8 .*save the file as UTF-8"),
        ("a\nb\n".encode("utf-16"), "line 1: not UTF-8, but UTF-16; save it as UTF-8"),
        ("a\nb\n".encode("utf-16-be"), "line 1: not UTF-8 .*a NUL byte, as UTF-16 has"),
        (b"a\nb\0\n", "line 2: not UTF-8 .*NUL byte"),
        (b"a\nb\xed\xa0\xbd\n", "line 2: not UTF-8 .*half of a surrogate pair"),
        (b"a\rb\rc", "its lines end in carriage returns alone; save it with line feeds"),
        (
            gzip.compress(b"a\n", mtime=0),
            "line 1: not UTF-8, but packed by gzip; let its name end in .gz",
        ),
        (b"PK\x03\x04....", "line 1: not UTF-8, but a ZIP archive, as spreadsheets are"),
    ],
)
def test_what_is_no_text_in_utf_8(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"a\.txt(, |: ){complaint}"):
        list(numbered_lines(path))


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 0x55]) + content[middle + 1 :]


@pytest.mark.parametrize("end", ["gz", "zst"])
@pytest.mark.parametrize("damage", [cut, flipped, lambda content: content[:-5]])
def test_an_archive_that_is_broken_in_the_middle(
    tmp_path: Path, end: str, damage: Callable[[bytes], bytes]
) -> None:
    path = packed(tmp_path / f"a.jsonl.{end}", MANY)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=r"cannot be unpacked behind line [0-9]+ \(.*copy it anew"):
        list(json_objects(path))


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none.txt: no such file in"):
        list(numbered_lines(tmp_path / "none.txt"))
    with pytest.raises(InputError, match="no plain file"):
        list(numbered_lines(tmp_path))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{oops", "not JSON (Expecting property name enclosed in double quotes, column 2)"),
        ("[1]", "not a JSON object"),
        ("[" * 100_000, "not JSON (lists or objects too deep in each other)"),
        ('{"a": ' + "1" * 4301 + "}", "an integer of 4301 digits, 4300 are read at most"),
        ('{"a": {"b": 1, "b": 2}}', "the key 'b' stands there twice"),
    ],
)
def test_lines_that_are_no_objects(tmp_path: Path, line: str, fault: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"a": 1}}\n\n{line}\n{{"a": 2}}\n')
    first, bad, last = json_objects(path)
    assert (first.number, first.values) == (1, {"a": 1})
    assert (bad.number, bad.values, bad.fault) == (3, None, fault)
    assert (last.number, last.values) == (4, {"a": 2})


def test_a_document_of_json(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf[1,\r 2]")
    assert json_document(path) == [1, 2]
    for content, complaint in (
        (b'[1,\n "\xff"]', "line 2: not UTF-8"),
        (b"[1,\n 2", "not JSON .*line 2, column 3.*mend it"),
        (b"[" * 100_000, "too deep"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=complaint):
            json_document(path)
