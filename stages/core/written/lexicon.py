"""The words of `data/written/`, with what fits what and what means the same."""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from stages.core.stage.files import InputError, read_yaml
from stages.core.written.inflection import Verb, plural

FOLDER = Path("data/written")
TABLES = ("nouns", "people", "verbs", "modifiers", "opinions", "titles")
SPLITS = ("train", "validation")
# The keys of verbs.yaml that list what takes the same objects.
FRAMES = ("reversible", "reflexive", "symmetric", "transitive", "ditransitive", "intransitive")
FRAMES += ("clausal", "infinitival", "causative", "motion")
ANY = "any"  # in place of a split: every word and every template
HELD_OUT_SHARE = 10  # one word in so many occurs in validation examples only
HELD_OUT_TEMPLATES = 3  # one template in so many is that of validation examples


@dataclass(frozen=True)
class Noun:
    """A noun or name. `gender` is Masc, Fem, or "" where the word does not tell."""

    singular: str
    plural: str
    kind: str  # the class of nouns.yaml
    domain: str = ""
    gender: str = ""
    proper: bool = False

    @property
    def person(self) -> bool:
        return self.kind == "person"


@cache
def held_out(word: str) -> bool:
    """Whether a word is kept from the training examples: a property of its spelling alone."""
    return zlib.crc32(word.encode()) % HELD_OUT_SHARE == 0


def flat(entries: Iterable[str | list[str]]) -> Iterator[str]:
    """The words of a list whose inner lists hold synonyms."""
    for entry in entries:
        yield from [entry] if isinstance(entry, str) else entry


@cache
def read_tables(folder: Path) -> dict[str, Any]:
    """The files of the lexicon by their names."""
    return {name: read_yaml(folder / f"{name}.yaml") for name in TABLES}


class Lexicon:
    """The words and templates open to one split, or to any.

    Those of `train` lack the held-out words. Templates are those of one split each: `train` and
    `validation` have none in common. `ANY` has all words and all templates.
    """

    def __init__(self, split: str, folder: Path = FOLDER):
        self.split = split
        self.folder = folder
        self.tables = read_tables(folder.resolve())
        # Lists that were asked for, by what they were asked for with; nobody changes them.
        self._verbs: dict[tuple[str, str], list[Verb]] = {}
        self._adjectives: dict[str, list[str]] = {}

    def open(self, words: Iterable[str | list[str]]) -> list[str]:
        """The words of a list that this split may use."""
        return [
            word
            for word in flat(words)
            if self.split != "train" or not held_out(word.split("/")[0])
        ]

    def templates(self, table: str, *keys: str) -> list[Any]:
        """The written-out templates of this split, below the keys of a table.

        Raises:
            InputError: a split has no template there.
        """
        found = self.tables[table]
        for key in keys:
            found = found[key]
        if set(found) != set(SPLITS) or not all(found.values()):
            raise InputError(
                f"{self.folder / table}.yaml: `{'.'.join(keys)}` needs templates below each of "
                f"{' and '.join(SPLITS)}"
            )
        own = SPLITS if self.split == ANY else (self.split,)
        return [template for split in own for template in found[split]]

    def may_say(self, template: str) -> bool:
        """Whether this split may use a template of the grammar: its spelling alone decides."""
        own = "train" if zlib.crc32(template.encode()) % HELD_OUT_TEMPLATES else "validation"
        return self.split in (own, ANY)

    @cached_property
    def nouns(self) -> dict[str, dict[str, list[Noun]]]:
        """Nouns by domain and class."""
        return {
            domain: {
                kind: [
                    Noun(word.split("/")[0], plural(word), kind, domain)
                    for word in self.open(words)
                ]
                for kind, words in classes.items()
            }
            for domain, classes in self.tables["nouns"].items()
        }

    @cached_property
    def noun_synonyms(self) -> dict[str, list[str]]:
        """Nouns that mean the same, by the singular of each; those of other splits are left out."""
        classes = (words for domain in self.tables["nouns"].values() for words in domain.values())
        groups = (group for words in classes for group in words if isinstance(group, list))
        opened = ([word.split("/")[0] for word in self.open(group)] for group in groups)
        return {
            word: [other for other in group if other != word] for group in opened for word in group
        }

    @cached_property
    def names(self) -> list[Noun]:
        return [
            Noun(name, name, "person", gender=gender, proper=True)
            for key, gender in (("female", "Fem"), ("male", "Masc"))
            for name in self.open(self.tables["people"][key]["names"])
        ]

    def gendered(self, key: str) -> list[Noun]:
        """The nouns of people.yaml whose gender is known: `nouns` or `kin`."""
        return self._gendered[key]

    @cached_property
    def _gendered(self) -> dict[str, list[Noun]]:
        return {
            key: [
                Noun(word.split("/")[0], plural(word), "person", gender=gender)
                for sex, gender in (("female", "Fem"), ("male", "Masc"))
                for word in self.open(self.tables["people"][sex][key])
            ]
            for key in ("nouns", "kin")
        }

    @cached_property
    def cities(self) -> list[Noun]:
        return [
            Noun(city, city, "city", proper=True)
            for city in self.open(self.tables["people"]["cities"])
        ]

    def verbs(self, frame: str, kind: str = "") -> list[Verb]:
        """The verbs of a frame; of a transitive frame those for a class of objects."""
        if (frame, kind) not in self._verbs:
            table = self.tables["verbs"][frame]
            entries = self.open(table[kind] if kind else table)
            self._verbs[frame, kind] = [Verb.parse(entry) for entry in entries]
        return self._verbs[frame, kind]

    def adjectives(self, kind: str) -> list[str]:
        """The adjectives that fit a class of nouns."""
        if kind not in self._adjectives:
            self._adjectives[kind] = self.open(self.tables["modifiers"]["adjectives"][kind])
        return self._adjectives[kind]

    def fits(self, adjective: str, kind: str) -> bool:
        """Whether an adjective fits a class of nouns; one that no class lists fits all."""
        classes = {k: set(flat(a)) for k, a in self.tables["modifiers"]["adjectives"].items()}
        return adjective in classes[kind] or all(adjective not in a for a in classes.values())

    @cached_property
    def synonyms(self) -> dict[str, list[str]]:
        """Entries that mean the same, by the name of the word (`pick up`, `quickly`)."""
        tables = [*_lists(self.tables["verbs"]), *_lists(self.tables["modifiers"])]
        found: dict[str, list[str]] = {}
        for table in tables:
            for group in table:
                if isinstance(group, list) and table not in self._opposite_tables:
                    for one, other in permutations(group, 2):
                        found.setdefault(Verb.parse(one).name, []).append(other)
        return found

    @cached_property
    def opposites(self) -> dict[str, list[str]]:
        """Words that contradict a word, by its name."""
        found: dict[str, list[str]] = {}
        for table in self._opposite_tables:
            for one, other in table:
                found.setdefault(one, []).append(other)
                found.setdefault(other, []).append(one)
        return found

    @property
    def _opposite_tables(self) -> list[list]:
        return [self.tables["verbs"]["opposites"], self.tables["modifiers"]["opposites"]]

    @cached_property
    def framed_verbs(self) -> set[str]:
        """The names of the verbs of all frames; some opposites are of none."""
        frames = {name: table for name, table in self.tables["verbs"].items() if name in FRAMES}
        return {Verb.parse(word).name for table in _lists(frames) for word in flat(table)}

    @cached_property
    def verb_forms(self) -> dict[str, Verb]:
        """Every verb by its name, for the forms of irregular ones."""
        parsed = (Verb.parse(e) for table in _lists(self.tables["verbs"]) for e in flat(table))
        forms: dict[str, Verb] = {}
        for verb in parsed:
            known = forms.get(verb.name)
            if known is None or known.past == known.lemma + "ed":
                forms[verb.name] = verb
        return forms


def _lists(table: Any) -> Iterator[list]:
    """The lists of words in a table, at any depth of its keys."""
    if isinstance(table, dict):
        for value in table.values():
            yield from _lists(value)
    else:
        yield table


def pick(generator: np.random.Generator, options: Iterable[Any]) -> Any:
    """Draw one of some options, which may be of any type."""
    options = list(options)
    return options[int(generator.integers(len(options)))]
