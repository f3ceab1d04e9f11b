"""Exemplar sentences of FrameNet, read by NLTK (Kovaleva et al. 2019, section 4.2)."""

import stat
from collections.abc import Iterator
from itertools import pairwise

import pandas as pd
import typer
from tqdm import tqdm

from stages.core.corpora.entries import FramenetCorpus, existing
from stages.core.corpora.store import corpus_frame, word
from stages.core.stage.files import InputError

INDEXES = ["frRelation.xml", "frameIndex.xml", "fulltextIndex.xml", "luIndex.xml", "semTypes.xml"]
CORE = "Core"
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def read(name: str, entry: FramenetCorpus) -> pd.DataFrame:
    """Short exemplar sentences with the target and its short core elements, far enough apart.

    Lengths count the words between spaces. `group` is the frame.

    Raises:
        InputError: the folder is no release of FrameNet, NLTK is not installed or will not read it.
    """
    try:
        import nltk
        from nltk.corpus.reader.framenet import FramenetCorpusReader
    except ImportError:
        raise InputError(
            f"corpus {name}: FrameNet is read by NLTK, which is not installed; run "
            "pip install -r requirements-text.txt"
        ) from None
    path = existing(
        entry.path, name, "FrameNet's release, the folder with luIndex.xml", folder=True
    )
    folder = path.resolve()
    lacking = [file for file in INDEXES if not (folder / file).is_file()]
    if lacking:
        raise InputError(f"{folder}: no {lacking[0]}; name the release, as fndata-1.5")
    if any((folder / file).stat().st_mode & WRITABLE_BY_OTHERS for file in INDEXES):
        raise InputError(
            f"{folder}: NLTK reads no corpus that other accounts may write to; run "
            f"chmod -R go-w {entry.path}"
        )
    if any((folder / file).stat().st_nlink > 1 for file in INDEXES):
        raise InputError(
            f"{folder}: NLTK reads no hard links; make the folder a copy of its own (cp -r)"
        )
    nltk.data.path.append(str(folder))  # it reads nothing outside of the folders named there
    reader = FramenetCorpusReader(str(folder), INDEXES)
    rows: dict[str, dict] = {}
    unreadable = []
    for unit in tqdm(reader.lu_ids_and_names(), "FrameNet", unit="lexical unit"):
        try:
            lexical_unit = reader.lu(unit)
            exemplars = list(lexical_unit.exemplars)
        except AssertionError:  # NLTK's, where annotations of a release contradict each other
            unreadable.append(unit)
            continue
        elements = lexical_unit.frame.FE.items()
        core = {element for element, facts in elements if facts.coreType == CORE}
        for sentence in exemplars:
            for row in exemplar_rows(sentence, lexical_unit.frame.name, core, entry):
                rows.setdefault(row["text_a"], row)
    if unreadable:
        typer.echo(f"{folder}: {len(unreadable)} lexical units left out, which NLTK cannot read")
    return corpus_frame(row | {"id": f"{name}-{n:05d}"} for n, row in enumerate(rows.values()))


def exemplar_rows(
    sentence: dict, frame: str, core: set[str], entry: FramenetCorpus
) -> Iterator[dict]:
    """The sentence as a row of a corpus, if it is short and has a link that counts.

    Args:
        sentence: with `text`, `Target` (character spans) and `FE` (spans, then what is implied).
        core: names of the frame's core elements.
    """
    text = sentence["text"]
    words = list(_words(text))
    if len(words) > entry.longest_sentence:
        return
    targets = _places(words, sentence["Target"])
    frames = []
    for start, end, element in sentence["FE"][0]:
        places = _places(words, [(start, end)])
        if element not in core or not places or not targets:
            continue
        contiguous = all(after - before == 1 for before, after in pairwise(targets))
        distance = min(abs(one - other) for one in targets for other in places)
        if contiguous and len(places) <= entry.longest_element and distance >= entry.least_distance:
            frames.append(
                {
                    "frame": frame,
                    "element": element,
                    "target_first": targets[0],
                    "target_last": targets[-1],
                    "first": places[0],
                    "last": places[-1],
                }
            )
    if frames:
        yield {"group": frame, "text_a": text, "words": words, "frames": frames}


def _words(text: str) -> Iterator[dict]:
    start = 0
    for form in text.split(" "):
        if form:
            yield word(form, start)
        start += len(form) + 1


def _places(words: list[dict], spans: list[tuple[int, int]]) -> list[int]:
    """The words that the character spans touch."""
    return [
        place
        for place, found in enumerate(words)
        if any(found["start"] < end and start < found["end"] for start, end in spans)
    ]
