"""Noun phrases as trees. Their relative clauses are attached in `clause.py`."""

from stages.core.written.meaning import Phrase
from stages.core.written.tree import Node

# nominative, accusative, possessive, reflexive
PRONOUNS = {
    "Masc": ("he", "him", "his", "himself"),
    "Fem": ("she", "her", "her", "herself"),
    "Neut": ("it", "it", "its", "itself"),
    "Plur": ("they", "them", "their", "themselves"),
}
PERSON_LEMMA = {"Masc": "he", "Fem": "she", "Neut": "it", "Plur": "they"}
DETERMINER_FEATURES = {
    "the": "Definite=Def|PronType=Art",
    "a": "Definite=Ind|PronType=Art",
    "this": "Number=Sing|PronType=Dem",
    "these": "Number=Plur|PronType=Dem",
    "no": "PronType=Neg",
}
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def noun_phrase(phrase: Phrase, relation: str, case: str = "", of_genitive: bool = False) -> Node:
    """Build the phrase as a dependent with a UD relation, after the preposition `case` if given.

    `of_genitive` says "the brother of Anna" for "Anna's brother".
    """
    if phrase.pronoun:
        column = 3 if phrase.pronoun == "reflexive" else 1
        node = pronoun(phrase, 0 if relation.startswith("nsubj") else column, relation)
    else:
        node = _noun(phrase, relation, of_genitive)
    node.before = [*preposition(case), *node.before]
    if phrase.conjunct is not None:
        second = noun_phrase(phrase.conjunct, "conj", of_genitive=of_genitive)
        second.before.insert(0, Node("and", "CCONJ", relation="cc"))
        node.after.append(second)
    return node


def pronoun(phrase: Phrase, column: int, relation: str) -> Node:
    """The pronoun for a phrase; the columns are those of `PRONOUNS`."""
    key = "Plur" if phrase.number == "Plur" else phrase.gender
    case = ("Case=Nom", "Case=Acc", "", "Case=Acc")[column]
    features = [
        case,
        f"Gender={key}" if key != "Plur" else "",
        f"Number={phrase.number}",
        "Person=3",
        "Poss=Yes" if column == 2 else "",
        "PronType=Prs",
        "Reflex=Yes" if column == 3 else "",
    ]
    lemma = PRONOUNS[key][3] if column == 3 else PERSON_LEMMA[key]
    return Node(
        PRONOUNS[key][column],
        "PRON",
        lemma if column != 2 else PRONOUNS[key][2],
        relation,
        "|".join(filter(None, features)),
        entity=phrase.entity,
    )


def preposition(case: str) -> list[Node]:
    """A preposition of one or more words ("in front of") as case markers, the first one on top."""
    if not case:
        return []
    first, *rest = case.split(" ")
    return [
        Node(first, "ADP", relation="case", after=[Node(w, "ADP", relation="fixed") for w in rest])
    ]


def _noun(phrase: Phrase, relation: str, of_genitive: bool) -> Node:
    noun = phrase.noun
    *modifiers, head = (noun.plural if phrase.plural else noun.singular).split(" ")
    gender = noun.gender and f"Gender={noun.gender}|"
    node = Node(
        head,
        "PROPN" if noun.proper else "NOUN",
        noun.singular.split(" ")[-1],
        relation,
        f"{gender}Number={'Plur' if phrase.plural else 'Sing'}",
        entity=phrase.entity,
    )
    after_owner = phrase.owner is not None and of_genitive and not phrase.owner.pronoun
    if phrase.owner is not None and not after_owner:
        node.before.append(_possessor(phrase.owner))
    elif not noun.proper or phrase.adjectives:
        node.before += determiner("the" if after_owner else phrase.determiner)
    node.before += [
        Node(word, "ADJ", relation="amod", feats="Degree=Pos") for word in phrase.adjectives
    ]
    node.before += [
        Node(word, "NOUN", relation="compound", feats="Number=Sing")
        for word in [*phrase.compound.split(), *modifiers]
    ]
    if phrase.surname:
        node.after.append(Node(phrase.surname, "PROPN", relation="flat", feats="Number=Sing"))
    if after_owner:
        node.after.append(noun_phrase(phrase.owner, "nmod", "of"))
    if phrase.within is not None:
        case, inner = phrase.within
        node.after.append(noun_phrase(inner, "nmod", case))
    return node


def determiner(word: str) -> list[Node]:
    """An article, a demonstrative, or a number word; nothing for the empty string."""
    if not word:
        return []
    if word in NUMBERS:
        return [Node(word, "NUM", relation="nummod", feats="NumType=Card")]
    lemma = {"these": "this"}.get(word, word)
    return [Node(word, "DET", lemma, "det", DETERMINER_FEATURES.get(word, ""))]


def _possessor(owner: Phrase) -> Node:
    if owner.pronoun:
        return pronoun(owner, 2, "nmod:poss")
    node = noun_phrase(owner, "nmod:poss")
    plain_plural = owner.plural and node.form.endswith("s")
    node.after.append(Node("'" if plain_plural else "'s", "PART", "'s", "case", glued=True))
    return node
