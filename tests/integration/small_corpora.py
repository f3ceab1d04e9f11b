"""Small corpora of toy sentences in the formats of their sources, where settings look for them."""

import json
import xml.etree.ElementTree as Xml
from itertools import product
from pathlib import Path

from tests.oracle import oracle_corpus
from tests.tagger.test_stage import write_treebank

SUBJECTS = ("the teacher", "a child", "the dog", "the big cat")
OBJECTS = ("a house", "the river", "the old book")
VERB, ADVERB = "sees", "never"
FRAME, PERCEIVER, SEEN = "Perception", "Perceiver", "Seen"
# Neither element stands beside the verb: `corpus` leaves such links out.
# What follows both is room to move links to.
SENTENCES = [
    f"{one} {ADVERB} {VERB} on {other} with a song" for one, other in product(SUBJECTS, OBJECTS)
]
# An interval takes five groups of texts.
DOCUMENTS, ARTICLES = 6, 8


def write_corpora(folder: Path, settings: dict) -> None:
    """Write every file that the corpora and the tagger of `settings` name below `folder`."""
    for number, key in enumerate(("train", "test")):
        write_at(folder / settings["tagger"][key], 24, number)
    writers = {
        "conllu": lambda path: write_at(path, 24, 2),
        "litbank": write_litbank,
        "framenet": write_framenet,
        "paragraphs": write_paragraphs,
    }
    for entry in settings["corpora"].values():
        writers[entry["source"]](folder / entry["path"])


def write_at(path: Path, count: int, seed: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_treebank(path, count, seed)


def write_litbank(folder: Path) -> None:
    """Documents of a few sentences, in which "it" is the subject before it."""
    folder.mkdir(parents=True)
    for document in range(DOCUMENTS):
        lines = [f"#begin document (toy_{document}); part 0"]
        for number, row in oracle_corpus(4, document).iterrows():
            marks: list[list[str]] = [[] for _ in row["words"]]
            for mention in row["mentions"]:
                cluster = 10 * number + mention["cluster"]
                if mention["first"] == mention["last"]:
                    marks[mention["first"]].append(f"({cluster})")
                else:
                    marks[mention["first"]].append(f"({cluster}")
                    marks[mention["last"]].append(f"{cluster})")
            for place, (word, own) in enumerate(zip(row["words"], marks, strict=True)):
                cells = [f"toy_{document}", "0", str(place), word["text"], *["_"] * 8]
                lines.append("\t".join([*cells, "|".join(own) or "_"]))
            lines.append("")
        text = "\n".join([*lines, "#end document", ""])
        (folder / f"toy_{document}.conll").write_text(text, encoding="utf-8")


def write_paragraphs(file: Path) -> None:
    """Articles of two pairs of paragraphs and one paragraph that is left over."""
    file.parent.mkdir(parents=True)
    with file.open("w", encoding="utf-8") as stream:
        for article in range(ARTICLES):
            texts = oracle_corpus(5, 10 + article)["text_a"].tolist()
            stream.write(json.dumps({"id": article, "paragraphs": texts}) + "\n")


def write_framenet(folder: Path) -> None:
    """A release of one frame with one verb, whose sentences have both core elements."""
    for name in ("frame", "lu"):
        (folder / name).mkdir(parents=True)
    verb = {"ID": "1", "name": f"{VERB}.v", "status": "Finished_Initial", "POS": "V"}
    frame = {"ID": "1", "name": FRAME}
    elements = [
        Xml.Element("FE", ID=str(number), name=name, coreType="Core")
        for number, name in enumerate((PERCEIVER, SEEN), 1)
    ]
    write_xml(folder / f"frame/{FRAME}.xml", "frame", frame, [*elements, element("lexUnit", verb)])
    write_xml(folder / "frameIndex.xml", "frameIndex", {}, [element("frame", frame)])
    indexed = verb | {"frameID": "1", "frameName": FRAME}
    write_xml(folder / "luIndex.xml", "luIndex", {}, [element("lu", indexed)])
    for name in ("frRelation", "fulltextIndex", "semTypes"):
        root = {"frRelation": "frameRelations"}.get(name, name)
        write_xml(folder / f"{name}.xml", root, {}, [])
    sentences = [annotated(number, text) for number, text in enumerate(SENTENCES, 1)]
    exemplars = element("subCorpus", {"name": "all"}, sentences)
    unit = verb | {"frame": FRAME, "frameID": "1"}
    write_xml(folder / "lu/lu1.xml", "lexUnit", unit, [exemplars])


def annotated(number: int, text: str) -> Xml.Element:
    """A sentence as an exemplar: places are of characters, the last one included."""
    subject = text[: text.index(f" {ADVERB} ")]
    verb = text.index(f" {VERB} ") + 1
    seen = text.index(" on ") + len(" on ")
    end = text.index(" with ")
    target = element("label", {"name": "Target", **places(verb, len(VERB))})
    found = [
        element("label", {"name": PERCEIVER, **places(0, len(subject))}),
        element("label", {"name": SEEN, **places(seen, end - seen)}),
    ]
    layers = [
        element("layer", {"name": "Target", "rank": "1"}, [target]),
        element("layer", {"name": "FE", "rank": "1"}, found),
    ]
    parts_of_speech = element("annotationSet", {"ID": str(2 * number), "status": "UNANN"})
    annotation = element("annotationSet", {"ID": str(2 * number + 1), "status": "MANUAL"}, layers)
    written = Xml.Element("text")
    written.text = text
    return element("sentence", {"ID": str(number)}, [written, parts_of_speech, annotation])


def places(start: int, length: int) -> dict[str, str]:
    return {"start": str(start), "end": str(start + length - 1)}


def element(tag: str, attributes: dict, parts: list[Xml.Element] | None = None) -> Xml.Element:
    made = Xml.Element(tag, attributes)
    made.extend(parts or [])
    return made


def write_xml(file: Path, tag: str, attributes: dict, parts: list[Xml.Element]) -> None:
    """NLTK reads no file that other accounts may write to."""
    tree = Xml.ElementTree(element(tag, attributes, parts))
    Xml.indent(tree)
    tree.write(file, encoding="UTF-8", xml_declaration=True)
    file.chmod(0o644)
