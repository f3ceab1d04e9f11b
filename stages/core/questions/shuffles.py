"""Texts with their words in another order, so far from their own that nobody could read them.

Words are what stands between spaces, with the marks that cling to them; they are never cut in the
pieces of a tokenizer. A text without spaces, as in Chinese, is one word and stays as it is. How far
an order is from a text's own is their edit distance over words, as a share of the words: the degree
of shuffling (Si et al. 2019).
"""

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

# Reviews of Si et al. 2019 name it as theirs; a text of three words has no order beyond 2/3.
LEAST_DEGREE = 0.65
LEAST_ARRANGEMENTS = 4  # different orders of the words: "red car" has two
DRAWS = 100  # orders drawn before a text counts as one that cannot be shuffled far enough
LISTED = 7  # words of a text, up to which all of its orders are looked at: 5,040 at most


@dataclass(frozen=True)
class Shuffled:
    """A text as it comes out of `shuffle`.

    Attributes:
        text: the words in another order, a space between two; or the text as it was.
        degree: edit distance to the words' own order, as a share of the words; 0 for a text that
            was left as it was.
        words: how many there are.
    """

    text: str
    degree: float
    words: int

    @property
    def left(self) -> bool:
        """Whether the text was left as it was."""
        return self.degree == 0.0


@dataclass(frozen=True)
class Degrees:
    """What is reported of many texts: how far they were shuffled, and which could not be.

    Attributes:
        texts: how many there are.
        left: of these, left as they were.
        one_word: of those left, of one word.
        mean: degree of those that were shuffled; not a number where none was.
        least: the smallest of these.
    """

    texts: int
    left: int
    one_word: int
    mean: float
    least: float


def shuffle(
    text: str, identity: str, seed: int, part: str, least_degree: float = LEAST_DEGREE
) -> Shuffled:
    """Put the words of a text in an order that is far from their own.

    The draw is of the question's id, the seed, and which part of the question is shuffled: the same
    in every arm, and another for every text. Orders are drawn until one is far enough. A text of up
    to seven words is left as it is only if none of all its orders is far enough; a longer one if
    none of a hundred that are drawn is. A text with fewer than four different orders is always left
    as it is. At the default, what has four words, three different ones among them and none more
    than half of the time, can be shuffled that far; "no, no, no, yes" cannot.

    Args:
        least_degree: edit distance over words that is asked for, as a share of the words; above 0,
            at most 1.
    """
    words = text.split()
    if arrangements(words) < LEAST_ARRANGEMENTS:
        return Shuffled(text, 0.0, len(words))
    # 0.6 * 5 is above 3 by rounding; an order like the text's own is none.
    least = max(1, math.ceil(least_degree * len(words) - 1e-9))
    generator = generator_of(identity, seed, part)
    for _ in range(DRAWS):
        order = [words[place] for place in generator.permutation(len(words))]
        distance = edit_distance(words, order)
        if distance >= least:
            return Shuffled(" ".join(order), distance / len(words), len(words))
    if len(words) <= LISTED:
        orders = sorted(set(itertools.permutations(words)))
        far = [order for order in orders if edit_distance(words, order) >= least]
        if far:
            chosen = far[int(generator.integers(len(far)))]
            degree = edit_distance(words, chosen) / len(words)
            return Shuffled(" ".join(chosen), degree, len(words))
    return Shuffled(text, 0.0, len(words))


def generator_of(identity: str, seed: int, part: str) -> np.random.Generator:
    """Draws that are of a question's id, a part of the question, and the seed alone."""
    return np.random.default_rng([seed, *part.encode(), 0, *identity.encode()])


def arrangements(words: Sequence[Hashable]) -> int:
    """How many different orders the words have: equal ones may change places unseen."""
    same = (math.factorial(count) for count in Counter(words).values())
    return math.factorial(len(words)) // math.prod(same)


def edit_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """The smallest number of items to insert, delete or replace to make `other` of `one`.

    Hyyrö 2003 (after Myers 1999): a column of the table of distances is two numbers in binary,
    whose bits say where the distance rises and where it falls by one, so that a column costs a
    dozen operations on long integers. Exact; a passage of 350 words takes half a millisecond.
    """
    if not one:
        return len(other)
    places: dict[Hashable, int] = {}
    for place, item in enumerate(one):
        places[item] = places.get(item, 0) | 1 << place
    all_bits, last = (1 << len(one)) - 1, 1 << (len(one) - 1)
    rises, falls, distance = all_bits, 0, len(one)
    for item in other:
        equal = places.get(item, 0)
        same = (((equal & rises) + rises) ^ rises) | equal | falls
        across_rises = falls | (~(same | rises) & all_bits)
        across_falls = rises & same
        distance += bool(across_rises & last) - bool(across_falls & last)
        across_rises = across_rises << 1 & all_bits | 1
        across_falls = across_falls << 1 & all_bits
        rises = across_falls | (~(same | across_rises) & all_bits)
        falls = across_rises & same
    return distance


def degrees(texts: Sequence[Shuffled]) -> Degrees:
    """How far texts were shuffled, and how many were left as they were."""
    shuffled = [text.degree for text in texts if not text.left]
    return Degrees(
        len(texts),
        len(texts) - len(shuffled),
        sum(text.words == 1 for text in texts),
        float(np.mean(shuffled)) if shuffled else math.nan,
        min(shuffled, default=math.nan),
    )
