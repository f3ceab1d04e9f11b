"""The authors' release (Lin et al. 2019): `data_agr`, `data_refl`, `data_aux`, `data_sbjn-join`.

A line of the first two is a sentence, the place of the source, those of the right candidate and
those of all distractors together, tab-separated; of the others a sentence and the place of the
target. Places are words from 0, but for one file: where possessors stand, each 's counts as the two
pieces ' and s that BERT's tokenizer makes of it.

The factors are not taken from the number of a file: they are read from the words
(`stages.stimuli.structure`).
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stages.core.lines import numbered_lines
from stages.core.stage.files import InputError
from stages.core.stimuli.entries import ReleasedStimuli
from stages.core.stimuli.store import (
    AGREEMENT,
    COMPOUND,
    MAIN_AUXILIARY,
    NTH_TOKEN,
    POSITIONS,
    POSSESSIVE,
    REFLEXIVE,
    RELATIVE,
    SUBJECT_NOUN,
    TEST,
    TRAIN,
)
from stages.core.tasks.examples import drawn_rows
from stages.stimuli.structure import (
    FULL_STOP,
    PLURAL,
    SINGULAR,
    Noun,
    Vocabulary,
    structure_of,
    tells_number,
)

POSSESSOR = "'s"
ANIMALS = (
    "ant ants, bear bears, bee bees, bird birds, cat cats, dog dogs, duck ducks, fish fish, "
    "horse horses, lion lions, tiger tigers, wolf wolves, worm worms"
)
FEMALE = "actress aunt girl lady mother niece nun princess queen sister wife witch woman"
MALE = "actor boy brother father husband king lord man monk nephew prince uncle wizard"
# Before another noun: queen and worker bees and ants, house cats, race horses, German ...
COMPOUNDS = "queen worker house race german"
ATTENTION_FILES = {AGREEMENT: ("data_agr/agr", 20), REFLEXIVE: ("data_refl/refl", 9)}
PROBE_FILES = {
    (MAIN_AUXILIARY, TRAIN): "data_aux/aux.train",
    (MAIN_AUXILIARY, TEST): "data_aux/aux.test",
    (MAIN_AUXILIARY, RELATIVE): "data_aux/aux.gen",
    (SUBJECT_NOUN, TRAIN): "data_sbjn-join/sbjn-join.train",
    (SUBJECT_NOUN, TEST): "data_sbjn-join/sbjn-join.test",
    (SUBJECT_NOUN, COMPOUND): "data_sbjn-join/sbjn-join.gen_comp",
    (SUBJECT_NOUN, POSSESSIVE): "data_sbjn-join/sbjn-join.gen_apost",
}


def vocabulary() -> Vocabulary:
    """The words of the release."""
    nouns: dict[str, Noun] = {}
    for pair in ANIMALS.split(", "):
        singular, plural = pair.split()
        nouns[singular] = Noun(singular, SINGULAR if singular != plural else "")
        nouns.setdefault(plural, Noun(singular, PLURAL))
    for words, gender in ((FEMALE, "female"), (MALE, "male")):
        nouns |= {one: Noun(one, SINGULAR, gender) for one in words.split()}
    return Vocabulary(
        nouns=nouns,
        determiners=frozenset(["the", "my", "your", "our", "her", "some"]),
        prepositions=frozenset(
            ["near", "behind", "below", "above", "around", "upon", "with", "by"]
        ),
        relatives=frozenset(("who", "that")),
        modals=frozenset(["can", "could", "will", "would"]),
        agreeing={"does": SINGULAR, "do": PLURAL},
        reflexives={"herself": "female", "himself": "male"},
    )


def attention_rows(entry: ReleasedStimuli) -> Iterator[dict]:
    """The sentences of every condition, as many as the entry asks for, drawn.

    Those with a noun whose number nothing tells ("fish") are left out where number is agreed with
    or not: they belong to no condition.

    Raises:
        InputError: a file is missing, a line is no stimulus, or its places are not those of its
            words.
    """
    known, folder = vocabulary(), _folder(entry)
    for phenomenon, (file, count) in ATTENTION_FILES.items():
        for number in range(count):
            path = folder / f"{file}.{number}"
            for line, fields in _lines(path, 4, entry.sentences, entry.seed):
                words, row = fields[0].split(), {}
                try:
                    row = structure_of(words, known)
                except ValueError as error:
                    raise InputError(f"{path}, line {line}: {error}; copy the release") from None
                given = [[int(place) for place in part.split()] for part in fields[1:]]
                wrong = [place for part in row["wrong"] for place in part]
                own = [[row["source"]], row["right"], wrong]
                if given != own:
                    raise InputError(
                        f"{path}, line {line}: source and candidates are {given}, its words say "
                        f"{own}; copy the release again"
                    )
                agreed = phenomenon == AGREEMENT and row["distractors"]
                if agreed and not tells_number(words, known):
                    continue
                yield {
                    "id": f"{path.name}-{line}",
                    "condition": str(number),
                    "words": _closed(words, entry.full_stop),
                    **row,
                }


def probe_rows(entry: ReleasedStimuli) -> Iterator[dict]:
    """The sentences of every probe; the n-th token is that of the main auxiliary's sentences.

    Those sentences are long enough for every n; the release of the source's own, of newspapers, is
    not free.

    Raises:
        InputError: a file is missing, or a line has no such target.
    """
    known, folder = vocabulary(), _folder(entry)
    for (probe, part), file in PROBE_FILES.items():
        path = folder / file
        for line, (text, place) in _lines(path, 2, _size(entry, part), entry.seed):
            words = _split(text.split())
            target = _word_at(words, int(place))
            kinds = known.auxiliaries if probe == MAIN_AUXILIARY else known.nouns
            if target < 0 or words[target] not in kinds:
                raise InputError(f"{path}, line {line}: word {place} is no target; copy it again")
            wanted = kinds if probe == MAIN_AUXILIARY else {*known.nouns, *COMPOUNDS.split()}
            row = {
                "id": f"{path.name}-{line}",
                "words": _closed(words, entry.full_stop),
                "items": _items(words, known, target if probe == SUBJECT_NOUN else None),
            }
            first = next(place for place, one in enumerate(words) if one in wanted)
            yield row | _answer(probe, part, target, first)
            if probe == MAIN_AUXILIARY and part in (TRAIN, TEST) and len(words) >= POSITIONS[-1]:
                for n in POSITIONS:
                    yield row | _answer(NTH_TOKEN, part, n - 1, -1, n)


def _answer(probe: str, part: str, target: int, first: int, position: int = 0) -> dict:
    return {
        "probe": probe,
        "part": part,
        "target": target,
        "first": first,
        "position": position,
    }


def _items(words: list[str], known: Vocabulary, target: int | None) -> list[str]:
    """The lemma of the target noun, or of the first noun, which is the subject's."""
    nouns = [one for one in words if one in known.nouns]
    return [known.nouns[nouns[0] if target is None else words[target]].lemma]


def _split(words: list[str]) -> list[str]:
    """Words with each 's of a possessor by itself."""
    return [
        part
        for one in words
        for part in ((one[:-2], POSSESSOR) if one.endswith(POSSESSOR) else (one,))
    ]


def _word_at(words: list[str], place: int) -> int:
    """The word at a place of the release, where an 's counts twice; -1 where there is none."""
    places = np.cumsum([0, *(1 + (one == POSSESSOR) for one in words[:-1])])
    found = np.flatnonzero(places == place)
    return int(found[0]) if len(found) else -1


def _closed(words: list[str], full_stop: bool) -> list[str]:
    return [*words, FULL_STOP] if full_stop else words


def _size(entry: ReleasedStimuli, part: str) -> int | None:
    return entry.train if part == TRAIN else entry.test


def _folder(entry: ReleasedStimuli) -> Path:
    folder = Path(entry.path)
    if not folder.is_dir():
        raise InputError(
            f"params.yaml: `stimuli` names the folder {entry.path}, which is not in {Path.cwd()}; "
            "copy the release of Lin et al. 2019 there (github.com/yongjie-lin/bert-opensesame)"
        )
    return folder


def _lines(path: Path, fields: int, most: int | None, seed: int) -> Iterator[tuple[int, list[str]]]:
    """Number (from 1) and fields of some lines of a file, drawn."""
    if not path.is_file():
        raise InputError(f"{path}: no such file; copy the whole release")
    lines = [line.rstrip("\r\n") for _, line in numbered_lines(path)]
    for row in drawn_rows(len(lines), most, seed):
        found = lines[row].split("\t")
        found += [""] * (fields - len(found))
        if len(found) != fields or not all(
            place.isdigit() for part in found[1:] for place in part.split()
        ):
            raise InputError(
                f"{path}, line {row + 1}: not a sentence and {fields - 1} lists of places, "
                "tab-separated; copy it again"
            )
        yield int(row) + 1, found
