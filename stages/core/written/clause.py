"""Clauses as trees: `realise` says a meaning in a style."""

from dataclasses import replace

from stages.core.written.inflection import BE, Verb, comparative
from stages.core.written.meaning import Clause, Phrase, Style
from stages.core.written.phrase import noun_phrase, preposition
from stages.core.written.tree import NEGATIONS, Node

PLAIN = Style()
POSTURES = ("stand", "lie", "hang", "sit")  # verbs that follow a fronted place
LINKING_PREPOSITIONS = ("with", "against")


def realise(clause: Clause, style: Style = PLAIN, relation: str = "root") -> Node:
    """Build the clause as a tree whose root has the UD relation `relation`."""
    if clause.conjunct is not None and style.swap_clauses:
        first = replace(clause.conjunct, conjunct=replace(clause, conjunct=None))
        return realise(first, replace(style, swap_clauses=False), relation)
    root = _adjectival(clause, style) if clause.adjective else _verbal(clause, style)
    root.relation = relation
    _frame(root, clause, style)
    if clause.conjunct is not None:
        settled = replace(style, front_time=False, front_place=False)
        second = realise(clause.conjunct, settled, "conj")
        second.before.insert(0, Node("and", "CCONJ", relation="cc"))
        root.after.append(second)
    return root


def argument(phrase: Phrase, relation: str, case: str = "", style: Style = PLAIN) -> Node:
    """A noun phrase with its relative clause, if it has one."""
    if phrase.conjunct is not None and style.swap_phrases:
        phrase = replace(phrase.conjunct, conjunct=replace(phrase, conjunct=None))
    node = noun_phrase(phrase, relation, case, style.of_genitive)
    if phrase.relative is not None:
        node.after.append(_relative(phrase))
    return node


def verb_group(
    verb: Verb, clause: Clause, number: str, passive: bool = False, infinitive: bool = False
) -> tuple[list[Node], Node]:
    """The auxiliaries, `not` and infinitive marker of a verb, and the verb itself, inflected."""
    chain: list[tuple[str, str, str]] = []  # lemma, relation, form that it asks of the next
    if clause.modal and not infinitive:
        chain.append((clause.modal, "aux", "Inf"))
    if clause.perfect:
        chain.append(("have", "aux", "Part"))
    if passive:
        chain.append(("be", "aux:pass", "Part"))
    if clause.negated and not infinitive and not chain:
        chain.append(("do", "aux", "Inf"))
    before: list[Node] = []
    asked = "Inf" if infinitive else "Fin"
    for lemma, role, asks in chain:
        before.append(_auxiliary(lemma, role, asked, clause.tense, number))
        asked = asks
    if clause.negated:
        negation = Node("not", "PART", relation="advmod", feats="Polarity=Neg")
        before.insert(0 if infinitive else 1, negation)
    if infinitive:
        before.insert(int(clause.negated), Node("to", "PART", relation="mark"))
    form, feats = _inflected(verb, asked, clause.tense, number)
    if asked == "Part":
        feats = "Tense=Past|VerbForm=Part" + ("|Voice=Pass" if passive else "")
    return before, Node(form, "VERB", verb.lemma, feats=feats)


def adverb(word: str, relation: str = "advmod") -> Node:
    feats = "Polarity=Neg" if word in NEGATIONS else ""
    return Node(word, "ADV", relation=relation, feats=feats)


def time_phrase(words: str) -> Node:
    """A time: an adverb (recently), a bare noun phrase (last week), or on Monday, in March."""
    first, *rest = words.split(" ")
    if not rest and first != "yesterday":
        return adverb(first)
    if first in ("on", "in"):
        day = Node(rest[0], "PROPN", relation="obl", feats="Number=Sing", before=preposition(first))
        return day
    noun = Node(rest[-1] if rest else first, "NOUN", relation="obl:unmarked", feats="Number=Sing")
    if rest:
        demonstrative = first in ("this", "that")
        kind = "NUM" if first == "one" else "DET" if demonstrative else "ADJ"
        role = {"NUM": "nummod", "DET": "det", "ADJ": "amod"}[kind]
        noun.before.append(Node(first, kind, relation=role))
    return noun


def _auxiliary(lemma: str, role: str, asked: str, tense: str, number: str) -> Node:
    if asked != "Fin":
        form = {"be": "been", "have": "had"}[lemma] if asked == "Part" else lemma
        return Node(form, "AUX", lemma, role, f"VerbForm={asked}")
    if lemma in ("have", "do", "be"):
        form = {
            ("have", "Past"): "had",
            ("have", "Pres"): "has" if number == "Sing" else "have",
            ("do", "Past"): "did",
            ("do", "Pres"): "does" if number == "Sing" else "do",
        }.get((lemma, tense)) or BE[tense, number]
        agreement = f"Number={number}|Person=3|" if tense == "Pres" or lemma == "be" else ""
        return Node(form, "AUX", lemma, role, f"Mood=Ind|{agreement}Tense={tense}|VerbForm=Fin")
    return Node(lemma, "AUX", {"would": "will", "could": "can"}.get(lemma, lemma), role)


def _inflected(verb: Verb, asked: str, tense: str, number: str) -> tuple[str, str]:
    if asked == "Inf":
        return verb.lemma, "VerbForm=Inf"
    if asked == "Part":
        return verb.participle, ""
    if tense == "Past":
        return verb.past, "Mood=Ind|Tense=Past|VerbForm=Fin"
    form = verb.third if number == "Sing" else verb.lemma
    return form, f"Mood=Ind|Number={number}|Person=3|Tense=Pres|VerbForm=Fin"


def _subject(phrase: Phrase, clause: Clause, style: Style, passive: bool = False) -> list[Node]:
    relation = "nsubj:pass" if passive else "nsubj"
    if clause.gap == ("object" if passive else "subject"):
        return [_relative_pronoun(phrase, relation)]
    return [argument(phrase, relation, style=style)]


def _verbal(clause: Clause, style: Style) -> Node:
    verb = clause.verb
    passive = style.passive and _has_passive(clause)
    subject = clause.object if passive else clause.subject
    before, root = verb_group(verb, clause, subject.number, passive)
    root.before = [*_subject(subject, clause, style, passive), *before]
    if clause.frequency:
        root.before.append(adverb(clause.frequency))
    if clause.manner and style.early_manner:
        root.before.append(adverb(clause.manner))
    _objects(root, clause, style, passive)
    return root


def _has_passive(clause: Clause) -> bool:
    """Whether the object can be the subject: not after "chat with", and no pronoun would come
    before the phrase that it stands for ("her hat was lost by Anna")."""
    thing = clause.object
    if thing is None or clause.gap or clause.verb.particle in LINKING_PREPOSITIONS:
        return False
    return thing.pronoun != "reflexive" and not (thing.owner and thing.owner.pronoun)


def _objects(root: Node, clause: Clause, style: Style, passive: bool) -> None:
    """Attach particle, objects and recipient after the verb."""
    particle = clause.verb.particle
    linked = particle in LINKING_PREPOSITIONS  # "chat with" takes no object
    recipient, thing = clause.recipient, None if passive else clause.object
    to_recipient = style.to_recipient or passive
    if recipient is not None and not to_recipient:
        root.after.append(argument(recipient, "iobj", style=style))
    if clause.gap == "object":
        root.before.insert(0, _relative_pronoun(clause.object, "obj"))
        thing = None
    if linked and thing is not None:
        root.after.append(argument(thing, "obl", particle, style))
        return
    moved = bool(particle) and thing is not None and (style.particle_last or thing.pronoun)
    tail = [Node(particle, "ADP", relation="compound:prt")] if particle and not linked else []
    root.after += [] if moved else tail
    if thing is not None:
        root.after.append(argument(thing, "obj", style=style))
    root.after += tail if moved else []
    if recipient is not None and to_recipient:
        root.after.append(argument(recipient, "obl", "to", style))
    if passive:
        root.after.append(argument(clause.subject, "obl:agent", "by", style))


def _adjectival(clause: Clause, style: Style) -> Node:
    root = Node(clause.adjective, "ADJ", feats="Degree=Pos")
    root.before = _subject(clause.subject, clause, style)
    root.before.append(_auxiliary("be", "cop", "Fin", clause.tense, clause.subject.number))
    if clause.negated:
        root.before.append(Node("not", "PART", relation="advmod", feats="Polarity=Neg"))
    if clause.frequency:
        root.before.append(adverb(clause.frequency))
    if clause.degree == "comparative":
        if one_word := comparative(clause.adjective):
            root.form, root.lemma, root.feats = one_word, clause.adjective, "Degree=Cmp"
        else:
            root.before.append(adverb("more"))
        root.after.append(argument(clause.standard, "obl", "than", style))
    elif clause.degree == "inferior":
        root.before.append(adverb("less"))
        root.after.append(argument(clause.standard, "obl", "than", style))
    elif clause.degree == "equal":
        root.before.append(adverb("as"))
        root.after.append(argument(clause.standard, "obl", "as", style))
    elif clause.degree:
        root.before.append(adverb(clause.degree))
    return root


def _frame(root: Node, clause: Clause, style: Style) -> None:
    """Attach places, manner, time, complement and adjunct clauses around the predicate."""
    fronted: list[Node] = []
    if clause.manner and not (style.early_manner and clause.verb):
        root.after.append(adverb(clause.manner))
    places = list(clause.places)
    if style.swap_phrases and len(places) > 1:
        places.reverse()
    for i, (case, phrase) in enumerate(places):
        front = style.front_place and i == 0 and not clause.gap
        (fronted if front else root.after).append(argument(phrase, "obl", case, style))
    inverted = style.inverted and bool(fronted) and clause.verb.lemma in POSTURES
    if inverted:
        root.after[0:0] = [child for child in root.before if child.relation == "nsubj"]
        root.before = [child for child in root.before if child.relation != "nsubj"]
    if clause.time:
        front = style.front_time and not fronted and not clause.gap
        (fronted if front else root.after).append(time_phrase(clause.time))
    if clause.complement is not None:
        root.after.append(_complement(clause, style))
    if clause.adjunct is not None:
        mark, inner = clause.adjunct
        node = realise(inner, PLAIN, "advcl")
        node.before[0:0] = _subordinator(mark)
        cataphora = bool(inner.subject.pronoun)
        if style.front_adjunct and not fronted and not cataphora:
            fronted.append(node)
        else:
            root.after.append(node)
    if fronted and not inverted:
        fronted.append(Node(",", "PUNCT", relation="punct", glued=True))
    root.before[0:0] = fronted


def _subordinator(mark: str) -> list[Node]:
    first, *rest = mark.split(" ")
    fixed = [Node(word, "SCONJ", relation="fixed") for word in rest]
    return [Node(first, "SCONJ", relation="mark", after=fixed)]


def _complement(clause: Clause, style: Style) -> Node:
    inner = clause.complement
    if not clause.infinitive:
        node = realise(inner, replace(style, front_time=False, front_place=False), "ccomp")
        if not style.bare_complement:
            node.before.insert(0, Node("that", "SCONJ", relation="mark"))
        return node
    before, node = verb_group(inner.verb, inner, "Sing", infinitive=True)
    node.relation = "xcomp"
    node.before = before
    _objects(node, inner, style, passive=False)
    _frame(node, inner, replace(style, front_time=False, front_place=False))
    return node


def _relative(phrase: Phrase) -> Node:
    clause = phrase.relative
    filler = replace(phrase, relative=None)
    clause = replace(clause, **{clause.gap: filler})
    return realise(clause, PLAIN, "acl:relcl")


def _relative_pronoun(phrase: Phrase, relation: str) -> Node:
    """`who` for a person as subject, `that` otherwise; its antecedent is what it modifies."""
    who = phrase.noun.person and relation.startswith("nsubj")
    return Node("who" if who else "that", "PRON", relation=relation, feats="PronType=Rel")
