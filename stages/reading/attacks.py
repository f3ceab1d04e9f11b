"""Attacks on test questions that no reader of the passage would mind, and their controls.

Si et al. 2019, "un-readable data attack". All of them touch wrong options or the end of the
passage; the right option, its place, the question and the passage itself stay as they are. What an
attack adds has the words of the passage, the question or the answer in an order that nobody can
read, so that only a model that goes by single words is drawn to it. `shuffled` below is
`shuffles.shuffle`.

AddSent2Pas-Shuffle: the question and all wrong options in their order are one text; shuffled, it
    stands behind the passage.
AddSent2Opt-Shuffle: to each wrong option a sentence of the passage is added; both are shuffled as
    one text, which is the option now.
AddAns2Opt-Shuffle: to each wrong option the right one is added; both are shuffled as one text.

Each control lacks one ingredient of its attack:

Sent2Opt-Shuffle: AddSent2Opt-Shuffle without the words of the wrong option: the sentence alone,
    shuffled, is the option now.
Ans2Opt-Shuffle: AddAns2Opt-Shuffle without these: the right option, shuffled, is the option now.
AddSent2Opt: AddSent2Opt-Shuffle without the shuffling: wrong option, space, sentence.
AddAns2Opt: AddAns2Opt-Shuffle without the shuffling: wrong option, space, right option.

Which sentence of the passage is added is drawn from those with four different orders at least (from
all where there is none), for each wrong option another as long as there are any. That, and that
AddSent2Pas-Shuffle shuffles question and wrong options as one text, are choices. The draw is of the
question's id, so that AddSent2Opt-Shuffle and its controls add the same sentences.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stages.core.questions.question import Question
from stages.core.questions.shuffles import (
    LEAST_ARRANGEMENTS,
    LEAST_DEGREE,
    Shuffled,
    arrangements,
    generator_of,
    shuffle,
)

# Behind a full stop, or another mark that ends a sentence, and the quotes that it may stand in.
SENTENCE_ENDS = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"')\]\u201d\u2019]))\s+|\n+")


@dataclass(frozen=True)
class Recipe:
    """What becomes of a wrong option.

    Attributes:
        added: `sentence` of the passage, or `answer`: the right option.
        keeps_option: whether the words of the wrong option stay, before what is added.
        shuffled: whether the words are shuffled, those of the option among them.
    """

    added: str
    keeps_option: bool
    shuffled: bool


TO_PASSAGE = "AddSent2Pas-Shuffle"
TO_OPTIONS = {
    "AddSent2Opt-Shuffle": Recipe("sentence", keeps_option=True, shuffled=True),
    "AddAns2Opt-Shuffle": Recipe("answer", keeps_option=True, shuffled=True),
    "Sent2Opt-Shuffle": Recipe("sentence", keeps_option=False, shuffled=True),
    "Ans2Opt-Shuffle": Recipe("answer", keeps_option=False, shuffled=True),
    "AddSent2Opt": Recipe("sentence", keeps_option=True, shuffled=False),
    "AddAns2Opt": Recipe("answer", keeps_option=True, shuffled=False),
}
# Each attack with its controls.
CONTROLS = {
    TO_PASSAGE: (),
    "AddSent2Opt-Shuffle": ("Sent2Opt-Shuffle", "AddSent2Opt"),
    "AddAns2Opt-Shuffle": ("Ans2Opt-Shuffle", "AddAns2Opt"),
}
NAMES = (TO_PASSAGE, *TO_OPTIONS)


@dataclass(frozen=True)
class Attacked:
    """A question under an attack or a control.

    Attributes:
        question: with its own passage, question, right option and answer.
        appended: what stands behind the passage, and is not cut with it; often empty.
        shuffled: what became of each text that was to be shuffled, in the order of the options.
    """

    question: Question
    appended: str = ""
    shuffled: tuple[Shuffled, ...] = ()

    @property
    def same_as_right(self) -> int:
        """How many wrong options read as the right one does, so that nobody can tell them apart.

        Ans2Opt-Shuffle makes them where the right option has too few words to be shuffled.
        """
        options = [option.split() for option in self.question.options]
        return options.count(self.question.right.split()) - 1


def attack(
    name: str, question: Question, seed: int, least_degree: float = LEAST_DEGREE
) -> Attacked:
    """Put a question under an attack or a control of `NAMES`.

    A text that cannot be shuffled as far as `least_degree` is added as it is; `shuffled` says so.

    Args:
        least_degree: see `shuffles.shuffle`.
    """
    if name == TO_PASSAGE:
        wrong = [question.options[place] for place in question.wrong]
        text = " ".join([question.question, *wrong])
        appended = shuffle(text, question.id, seed, "appended", least_degree)
        return Attacked(question, appended.text, (appended,))
    recipe = TO_OPTIONS[name]
    if recipe.added == "sentence":
        added = drawn_sentences(question, seed)
    else:
        added = [question.right] * len(question.wrong)
    options, shuffled = list(question.options), []
    for place, more in zip(question.wrong, added, strict=True):
        text = f"{question.options[place]} {more}" if recipe.keeps_option else more
        if recipe.shuffled:
            outcome = shuffle(text, question.id, seed, f"option {place}", least_degree)
            shuffled.append(outcome)
            text = outcome.text
        options[place] = text
    return Attacked(replace(question, options=tuple(options)), shuffled=tuple(shuffled))


def intact(question: Question) -> Attacked:
    """The question under no attack."""
    return Attacked(question)


def drawn_sentences(question: Question, seed: int) -> list[str]:
    """A sentence of the passage for each wrong option, each once as long as there are enough.

    Where the passage has fewer sentences than that, they begin anew.
    """
    found = sentences(question.passage)
    long = [one for one in found if arrangements(one.split()) >= LEAST_ARRANGEMENTS]
    found = long or found
    order = generator_of(question.id, seed, "sentence").permutation(len(found))
    return [found[order[number % len(found)]] for number in range(len(question.wrong))]


def sentences(passage: str) -> Sequence[str]:
    """The sentences of a passage: what ends with a mark before a space, or with a line.

    A title with a full stop ("Mr. Hill") ends one too early.
    """
    return [one.strip() for one in SENTENCE_ENDS.split(passage) if one.strip()]
