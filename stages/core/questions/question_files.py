"""Questions from files: the layouts of DREAM and RACE, and one of our own, checked row by row."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from stages.core.lines import PACKED, ending_of, json_document, json_objects
from stages.core.questions.question import Question, fault_of
from stages.core.questions.rows import (
    Bad,
    BadRows,
    Layout,
    id_of,
    list_of_texts,
    object_of,
    place_of,
    place_of_letter,
    report_faults,
    text_of,
    texts_of,
    value_of,
)
from stages.core.stage.files import InputError


class Record(NamedTuple):
    """A value of a file, and where it stands: `a.json, row 3`, `a.jsonl, line 4`, `7.txt`."""

    place: str
    value: Any
    name: str  # for the ids of questions whose record has none
    fault: str = ""  # why there is no value


def read_question_files(
    path: str | Path, layout: Layout, bad_rows: BadRows = "stop"
) -> list[Question]:
    """Read the questions of one split, in the order of the source.

    Layouts:
        questions: `.jsonl`, an object a line, or `.json`, a list of them: `passage`, `question`,
            `options` (a list of texts), `answer` (place of the right option from 0, or its text)
            and, if wanted, `id`.
        dream: `.json`, a list of `[turns, questions, id]`, each question an object of `question`,
            `choice` and `answer`, the text of the right option. The passage is the turns, joined
            by a space.
        race: a folder of `.txt` files, each an object of `article`, `questions`, `options` and
            `answers` (letters), in this folder or in folders below it (`high`, `middle`); or one
            `.jsonl` of such objects.

    Args:
        bad_rows: `stop` refuses a file that has rows which are no questions; `skip` leaves them
            out and says so.

    Raises:
        InputError: there is no such file, it is of another layout, or a row is no question; the
            message names the file, the row, the key and the mend.
    """
    path = Path(path)
    questions_of = READERS[layout]
    questions: list[Question] = []
    faults: list[str] = []
    places: dict[str, str] = {}
    for record in _records(path, layout):
        found = _guarded(questions_of, record)
        for place, question, fault in found:
            if not fault and question.id in places:
                fault = (
                    f"`id`: {question.id!r} is that of {places[question.id]} too; make ids unique"
                )
            if fault:
                faults.append(f"{place}: {fault}")
            else:
                places[question.id] = place
                questions.append(question)
    report_faults(path, faults, bad_rows)
    if not questions:
        raise InputError(f"{path}: no questions; check the file and its layout, here {layout!r}")
    return questions


Found = tuple[str, Question | None, str]  # where it stands, the question, or why there is none


def _guarded(questions_of: Callable[[Record], Iterator[Found]], record: Record) -> Iterator[Found]:
    """The questions of a record; one fault where the record itself is none."""
    if record.fault:
        yield record.place, None, f"{record.fault}; mend it"
        return
    try:
        yield from questions_of(record)
    except Bad as fault:
        yield record.place, None, str(fault)


# Layouts


def _own(record: Record) -> Iterator[Found]:
    values = object_of(record.value)
    options = texts_of(values, "options")
    answer = value_of(values, "answer")
    question = Question(
        id_of(values.get("id", record.name)),
        text_of(values, "passage"),
        text_of(values, "question"),
        options,
        answer if type(answer) is int else place_of(answer, options, "answer"),
    )
    yield record.place, question, fault_of(question)


def _dream(record: Record) -> Iterator[Found]:
    value = record.value
    if not isinstance(value, list) or len(value) != 3:
        raise Bad("not `[turns, questions, id]`; mend it, or name another layout")
    turns, asked, identity = value
    passage = " ".join(list_of_texts(turns, "turns"))
    identity = id_of(identity)
    if not isinstance(asked, list):
        raise Bad("`questions` is no list; give a list of objects")
    for number, values in enumerate(asked):
        place = f"{record.place}, question {number}"
        try:
            values = object_of(values)
            options = texts_of(values, "choice")
            answer = place_of(value_of(values, "answer"), options, "answer")
            text = text_of(values, "question")
        except Bad as fault:
            yield place, None, str(fault)
            continue
        question = Question(f"{identity}-{number}", passage, text, options, answer)
        yield place, question, fault_of(question)


def _race(record: Record) -> Iterator[Found]:
    values = object_of(record.value)
    passage = text_of(values, "article")
    lists = {key: value_of(values, key) for key in ("questions", "options", "answers")}
    for key, value in lists.items():
        if not isinstance(value, list):
            raise Bad(f"`{key}` is no list; give one entry a question")
        if len(value) != len(lists["questions"]):
            raise Bad(
                f"`{key}` has {len(value)} entries, `questions` {len(lists['questions'])}; "
                "give one entry a question"
            )
    identity = id_of(values.get("id", record.name))
    for number, (text, given, letter) in enumerate(zip(*lists.values(), strict=True)):
        place = f"{record.place}, question {number}"
        try:
            options = list_of_texts(given, "options")
            answer = place_of_letter(letter, options, "answers")
            text = text_of({"questions": text}, "questions")
        except Bad as fault:
            yield place, None, str(fault)
            continue
        question = Question(f"{identity}-{number}", passage, text, options, answer)
        yield place, question, fault_of(question)


READERS: dict[str, Callable[[Record], Iterator[Found]]] = {
    "questions": _own,
    "dream": _dream,
    "race": _race,
}
SUFFIXES = {"questions": (".json", ".jsonl"), "dream": (".json",), "race": (".jsonl",)}


# Files


def _records(path: Path, layout: str) -> Iterator[Record]:
    if layout == "race" and path.is_dir():
        files = sorted(path.rglob("*.txt"))
        if not files:
            raise InputError(f"{path}: no .txt file in this folder; name RACE's folder of a split")
        for file in files:
            name = file.relative_to(path).with_suffix("").as_posix()
            yield Record(str(file), json_document(file), name)
        return
    stem = Path(path.stem if path.suffix.lower() in PACKED else path.name).stem
    if ending_of(path) not in SUFFIXES[layout]:
        folder = " or a folder" if layout == "race" else ""
        known = ", ".join(SUFFIXES[layout]) + folder
        raise InputError(f"{path}: the layout {layout!r} takes {known}; rename or convert it")
    if ending_of(path) == ".json":
        rows = json_document(path)
        if not isinstance(rows, list):
            raise InputError(f"{path}: no JSON list of rows; mend it, or save it as .jsonl")
        for number, row in enumerate(rows):
            yield Record(f"{path}, row {number}", row, f"{stem}-{number}")
        return
    for line in json_objects(path):
        place = f"{path}, line {line.number}"
        yield Record(place, line.values, f"{stem}-{line.number}", line.fault)
