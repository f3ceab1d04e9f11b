"""Attacks on test questions, and their controls (Si et al. 2019, "un-readable data attack").

They change wrong options or the end of the passage. The right option, its number, the question and
the passage itself stay. An attack adds words of the passage, the question or the answer, in an
order that nobody can read (`shuffles.shuffle`). It misleads only a model that relies on single
words. Each control lacks one ingredient of its attack.

AddSent2Pas-Shuffle: question and wrong options in their order, shuffled as one text, follow the
    passage.
AddSent2Opt-Shuffle: each wrong option is shuffled with a sentence of the passage, as one text.
AddAns2Opt-Shuffle: each wrong option is shuffled with the right one, as one text.
Sent2Opt-Shuffle, Ans2Opt-Shuffle: the words of the wrong option are left out.
AddSent2Opt, AddAns2Opt: nothing is shuffled; the added text follows wrong option and space.

The added sentence is drawn from those with at least four different orders; from all, if there is
none. Each wrong option gets another one while there are any. This is a choice, and so is the one
text of AddSent2Pas-Shuffle. The question's id seeds the draw; AddSent2Opt-Shuffle and its controls
add the same sentences.
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
    """The change of a wrong option.

    Attributes:
        added: `sentence` of the passage, or `answer`: the right option.
        keeps_option: whether the words of the wrong option stay, before what is added.
        shuffled: whether all words are shuffled.
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
        question: its passage, question, right option and answer are unchanged.
        appended: text behind the passage, which is not cut with it; often empty.
        shuffled: each text to shuffle after shuffling, in the order of the options.
    """

    question: Question
    appended: str = ""
    shuffled: tuple[Shuffled, ...] = ()

    @property
    def same_as_right(self) -> int:
        """The number of wrong options that read as the right one.

        Ans2Opt-Shuffle makes them if the right option has too few words to shuffle.
        """
        options = [option.split() for option in self.question.options]
        return options.count(self.question.right.split()) - 1


def attack(
    name: str, question: Question, seed: int, least_degree: float = LEAST_DEGREE
) -> Attacked:
    """Put a question under an attack or a control of `NAMES`.

    A text that no shuffle takes as far as `least_degree` is added in order; `shuffled` says so.

    Args:
        least_degree: see `shuffles.shuffle`.
    """
    if name == TO_PASSAGE:
        wrong = [question.options[number] for number in question.wrong]
        text = " ".join([question.question, *wrong])
        appended = shuffle(text, question.id, seed, "appended", least_degree)
        return Attacked(question, appended.text, (appended,))
    recipe = TO_OPTIONS[name]
    if recipe.added == "sentence":
        added = drawn_sentences(question, seed)
    else:
        added = [question.right] * len(question.wrong)
    options, shuffled = list(question.options), []
    for number, more in zip(question.wrong, added, strict=True):
        text = f"{question.options[number]} {more}" if recipe.keeps_option else more
        if recipe.shuffled:
            outcome = shuffle(text, question.id, seed, f"option {number}", least_degree)
            shuffled.append(outcome)
            text = outcome.text
        options[number] = text
    return Attacked(replace(question, options=tuple(options)), shuffled=tuple(shuffled))


def intact(question: Question) -> Attacked:
    """The question under no attack."""
    return Attacked(question)


def drawn_sentences(question: Question, seed: int) -> list[str]:
    """A sentence of the passage for each wrong option; sentences repeat if there are too few."""
    every = passage_sentences(question.passage)
    long = [sentence for sentence in every if arrangements(sentence.split()) >= LEAST_ARRANGEMENTS]
    pool = long or every
    order = generator_of(question.id, seed, "sentence").permutation(len(pool))
    return [pool[order[number % len(pool)]] for number in range(len(question.wrong))]


def passage_sentences(passage: str) -> Sequence[str]:
    """The sentences of a passage, which a mark before a space or the end of a line ends.

    A title with a full stop ("Mr. Hill") ends one too early.
    """
    return [text.strip() for text in SENTENCE_ENDS.split(passage) if text.strip()]
