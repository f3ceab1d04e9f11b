"""The words of `data/stimuli/words.yaml`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from stages.core.stage.files import InputError, read_yaml
from stages.core.written.inflection import plural
from stages.stimuli.structure import PLURAL, SINGULAR, Noun, Vocabulary

FILE = Path("data/stimuli/words.yaml")
FEMALE, MALE = "female", "male"
CONTENT = ("nouns", FEMALE, MALE, "transitive", "intransitive", "adjectives", "compounds")
HELD_OUT = 3  # one word of a list in so many is for test sentences of probes alone


@dataclass(frozen=True)
class Form:
    """A noun in both numbers."""

    singular: str
    plural: str

    def of(self, number: str) -> str:
        """The form of a number, `SINGULAR` or `PLURAL`."""
        return self.plural if number == PLURAL else self.singular


class Words:
    """The words open to some sentences.

    Args:
        table: the content of the file.
        tested: content words for training (False) or test (True) of probes; None: all.
    """

    def __init__(self, table: dict[str, Any], tested: bool | None = None):
        self.table = table
        self.tested = tested
        if lacking := {*CONTENT, *FUNCTION} - set(table):
            raise InputError(f"{FILE}: it lacks {', '.join(sorted(lacking))}; add them")

    def of(self, kind: str) -> list[str]:
        """The words of a list that are open; of function words all."""
        words = self.table[kind]
        if kind not in CONTENT or self.tested is None:
            return list(words)
        return [
            word
            for place, word in enumerate(words, start=1)
            if (place % HELD_OUT == 0) == self.tested
        ]

    def nouns(self, kind: str) -> list[Form]:
        """The nouns of a list: `nouns`, `female` or `male`."""
        return [Form(word.split("/")[0], plural(word)) for word in self.of(kind)]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All words by what they do, whatever is open."""
        every = Words(self.table)
        nouns = {
            form.of(number): Noun(form.singular, number, "" if kind == "nouns" else kind)
            for kind in ("nouns", FEMALE, MALE)
            for form in every.nouns(kind)
            for number in (SINGULAR, PLURAL)
        }
        return Vocabulary(
            nouns=nouns,
            determiners=frozenset(self.table["determiners"]),
            prepositions=frozenset(self.table["prepositions"]),
            relatives=frozenset(self.table["relatives"]),
            modals=frozenset(self.table["modals"]),
            agreeing={form: number for number, form in self.table["agreeing"].items()},
            reflexives={form: gender for gender, form in self.table["reflexives"].items()},
        )


FUNCTION: Sequence[str] = (
    "determiners",
    "prepositions",
    "relatives",
    "modals",
    "agreeing",
    "reflexives",
)


def read_words(file: Path = FILE) -> dict[str, Any]:
    """The lists of the file.

    Raises:
        InputError: it is missing, or no YAML.
    """
    return read_yaml(file)
