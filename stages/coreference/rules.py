"""Antecedents by rule (Clark et al. 2019, section 4.3; the sieve after Lee et al. 2011)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MENTION_KINDS = ("pronoun", "proper", "nominal")
AGREEMENT = ("Number", "Gender", "Person")
# Number, gender and person of pronouns whose annotation leaves them out.
PRONOUNS = {
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), ("Sing", "", "1")),
    **dict.fromkeys(("we", "us", "our", "ours", "ourselves"), ("Plur", "", "1")),
    **dict.fromkeys(("you", "your", "yours", "yourself", "yourselves"), ("", "", "2")),
    **dict.fromkeys(("he", "him", "his", "himself"), ("Sing", "Masc", "3")),
    **dict.fromkeys(("she", "her", "hers", "herself"), ("Sing", "Fem", "3")),
    **dict.fromkeys(("it", "its", "itself"), ("Sing", "Neut", "3")),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), ("Plur", "", "3")),
}


@dataclass(frozen=True)
class Mention:
    """A mention of a text: places of its words, its head word, and what the rules look at.

    `agreement` has number, gender and person, each empty where it is not known.
    """

    first: int
    last: int
    head: int
    cluster: int
    kind: str
    text: str
    head_text: str
    agreement: tuple[str, str, str]


def mentions_of(words: Sequence[dict], mentions: Sequence[dict]) -> list[Mention]:
    """The mentions of a text in the order in which they begin, the longer first."""
    described = []
    for mention in mentions:
        inside = words[mention["first"] : mention["last"] + 1]
        head = words[mention["head"]]
        described.append(
            Mention(
                mention["first"],
                mention["last"],
                mention["head"],
                mention["cluster"],
                mention["kind"],
                " ".join(word["text"].lower() for word in inside),
                head["text"].lower(),
                agreement_of(head),
            )
        )
    return sorted(described, key=lambda mention: (mention.first, -mention.last))


def agreement_of(word: dict) -> tuple[str, str, str]:
    """Number, gender and person by annotation, by the pronoun otherwise; nouns are third person."""
    features = dict(pair.split("=", 1) for pair in word["feats"].split("|") if "=" in pair)
    by_form = PRONOUNS.get(word["text"].lower(), ("", "", "3"))
    number, gender, person = (
        features.get(name, form) for name, form in zip(AGREEMENT, by_form, strict=True)
    )
    return number, gender, person


def agree(mention: Mention, other: Mention) -> bool:
    """Whether number, gender and person are equal, as far as both are known."""
    pairs = zip(mention.agreement, other.agreement, strict=True)
    return all(a == b or not a or not b for a, b in pairs)


def nearest(mention: Mention, candidates: Sequence[Mention]) -> int | None:
    """The mention that ends last before it."""
    return max(range(len(candidates)), key=lambda place: candidates[place].last)


def nearest_where(test: Callable[[Mention, Mention], bool]) -> Callable[..., int | None]:
    """The nearest candidate that passes a test with the mention; None where none does."""

    def choose(mention: Mention, candidates: Sequence[Mention]) -> int | None:
        passing = [place for place, other in enumerate(candidates) if test(mention, other)]
        return max(passing, key=lambda place: candidates[place].last, default=None)

    return choose


same_text = nearest_where(lambda mention, other: mention.text == other.text)
same_head = nearest_where(lambda mention, other: mention.head_text == other.head_text)
agreeing = nearest_where(agree)

# Each goes on to the next of its sieves where it finds none, and at last to the nearest.
RULES: dict[str, tuple[Callable[..., int | None], ...]] = {
    "nearest": (),
    "head match": (same_head,),
    "rules": (same_text, same_head, agreeing),
}


def rule_choice(rule: str, mention: Mention, candidates: Sequence[Mention]) -> int:
    """The candidate that a rule of `RULES` chooses."""
    for sieve in (*RULES[rule], nearest):
        place = sieve(mention, candidates)
        if place is not None:
            return place
    raise ValueError("a mention without candidates")
