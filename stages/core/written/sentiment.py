"""The task `sentiment`: one text about something, positive or negative as a whole.

Opinion words occur as often in positive as in negative texts: clauses turn their polarity round
("far from", "nobody found"), and of two clauses the one that counts is told by how they are joined.
"""

import re

import numpy as np

from stages.core.written.inflection import Verb
from stages.core.written.lexicon import Lexicon, Noun, pick
from stages.core.written.meaning import Phrase
from stages.core.written.phrase import noun_phrase
from stages.core.written.scene import Scene
from stages.core.written.template import fill
from stages.core.written.tree import Node, annotate, sentence

LABELS = ("negative", "positive")


class Review:
    """Draws texts about one thing and its aspects."""

    def __init__(self, generator: np.random.Generator, lexicon: Lexicon):
        self.generator = generator
        self.table = lexicon.tables["opinions"]
        self.lexicon = lexicon
        self.scene = Scene(generator, lexicon, richness=0.1)
        domain = self.pick(self.table["domains"].values())
        self.item = self._referent(self.pick(lexicon.open(domain["item"])))
        self.aspects = [self._referent(a) for a in generator.permutation(domain["aspects"])]
        self.used: set[str] = set()

    def pick(self, options):
        return pick(self.generator, options)

    def chance(self, probability: float) -> bool:
        return bool(self.generator.random() < probability)

    def _referent(self, entry: str) -> Phrase:
        """A thing or an aspect; "actor/" is used in the plural."""
        word, slash, _ = str(entry).partition("/")
        noun = Noun(word, word, "aspect")
        self.scene.entities += 1
        return Phrase(noun, self.scene.entities, gender="Neut", plural=bool(slash))

    def opinion(self, sign: int) -> str:
        """An opinion word of a polarity, not yet used in this text."""
        words = self.lexicon.open(self.table["positive" if sign > 0 else "negative"])
        word = self.pick([w for w in words if w not in self.used])
        self.used.add(word)
        return word

    def target(self) -> Phrase:
        """What a clause judges: the thing, or the next of its aspects."""
        return self.item if self.chance(0.3) else self.aspects.pop()

    def clause(self, sign: int, about: Phrase) -> Node:
        """A clause that judges `about` with a polarity of 1 or -1."""
        if self.chance(0.25):
            return self._liking(sign, about)
        frame = self.pick(self.table["adjective_frames"])
        word = self.opinion(sign * frame["sign"])
        return self._filled(frame, about, opinion=Node(word, "ADJ", feats="Degree=Pos"))

    def _liking(self, sign: int, about: Phrase) -> Node:
        frame = self.pick(self.table["verb_frames"])
        verbs = self.table["likes" if sign * frame["sign"] > 0 else "dislikes"]
        verb = Verb.parse(self.pick(verbs))
        return self._filled(
            frame,
            about,
            like=Node(verb.lemma, "VERB", feats="VerbForm=Inf"),
            liked=Node(verb.past, "VERB", verb.lemma, feats="Mood=Ind|Tense=Past|VerbForm=Fin"),
            liking=Node(verb.gerund, "VERB", verb.lemma, feats="VerbForm=Ger"),
        )

    def _filled(self, frame: dict, about: Phrase, **slots: Node) -> Node:
        degree = self.pick(self.lexicon.tables["modifiers"]["adverbs"]["degree"])
        judges = self.pick(self.table["judges"])
        subject = re.search(r"\{aspect\}>\d+:nsubj", frame["text"])
        slots |= {
            "aspect": noun_phrase(about, "nsubj" if subject else "obj"),
            "degree": Node(degree, "ADV"),
            "judges": Node(judges, "NOUN", Verb.parse(judges).lemma[:-1], feats="Number=Plur"),
        }
        return fill(frame["text"], slots, about.plural)

    # Texts

    def text(self, sign: int) -> list[Node]:
        """Sentences whose polarity as a whole is `sign`."""
        join = self.pick(
            (
                self.single,
                self.single,
                self.both,
                self.concession,
                self.contrast,
                self.report,
                self.reversal,
                self.despite,
            )
        )
        sentences = [sentence(join(sign))]
        if self.chance(0.25):
            sentences.insert(0, self.background())
        return sentences

    def single(self, sign: int) -> Node:
        return self.clause(sign, self.target())

    def both(self, sign: int) -> Node:
        """Two clauses of one polarity: "X, and Y"."""
        return self._joined(sign, sign, "and")

    def contrast(self, sign: int) -> Node:
        """ "X, but Y": what is said last counts."""
        return self._joined(-sign, sign, "but")

    def _joined(self, first: int, second: int, word: str) -> Node:
        about = self.target()
        root = self.clause(first, about)
        same = self.chance(0.3)
        other = self.clause(second, about.as_pronoun() if same else self.target())
        other.relation = "conj"
        other.before[0:0] = [
            Node(",", "PUNCT", relation="punct", glued=True),
            Node(word, "CCONJ", relation="cc"),
        ]
        root.after.append(other)
        return root

    def concession(self, sign: int) -> Node:
        """ "Although X, Y" or "Y, although X": the main clause counts."""
        root = self.clause(sign, self.target())
        side = self.clause(-sign, self.target())
        side.relation = "advcl"
        mark = self.pick(("although", "though", "while"))
        side.before.insert(0, Node(mark, "SCONJ", relation="mark"))
        comma = Node(",", "PUNCT", relation="punct", glued=True)
        if self.chance(0.5):
            root.before[0:0] = [side, comma]
        else:
            side.before.insert(0, comma)
            root.after.append(side)
        return root

    def despite(self, sign: int) -> Node:
        """ "Despite the dull plot, Y"."""
        root = self.clause(sign, self.target())
        about = self.aspects.pop()
        side = noun_phrase(about, "obl", "despite")
        word = Node(self.opinion(-sign), "ADJ", relation="amod", feats="Degree=Pos")
        side.before.append(word)
        root.before[0:0] = [side, Node(",", "PUNCT", relation="punct", glued=True)]
        return root

    def report(self, sign: int) -> Node:
        """ "The critics said that X, and they were right" or "..., but they were wrong"."""
        judges = self.pick(self.table["judges"])
        right = self.chance(0.5)
        inner = self.clause(sign if right else -sign, self.target())
        verb = Verb.parse(
            self.pick(("claim", "say/said/said", "write/wrote/written", "think/thought/thought"))
        )
        inner.relation = "ccomp"
        inner.before.insert(0, Node("that", "SCONJ", relation="mark"))
        people = Phrase(Noun(judges[:-1], judges, "person"), 1000, plural=True)
        verdict = self.pick(("right", "correct") if right else ("wrong", "mistaken"))
        text = (
            "{people}>2:nsubj {verb}>0:root {inner}>2:ccomp ,/PUNCT>8:punct "
            f"{'and' if right else 'but'}/CCONJ>8:cc {{they}}>8:nsubj were=be/AUX>8:cop {verdict}/ADJ>2:conj"
        )
        slots = {
            "people": noun_phrase(people, "nsubj"),
            "verb": Node(verb.past, "VERB", verb.lemma, feats="Mood=Ind|Tense=Past|VerbForm=Fin"),
            "inner": inner,
            "they": noun_phrase(people.as_pronoun(), "nsubj"),
        }
        return fill(text, slots)

    def reversal(self, sign: int) -> Node:
        """ "I expected a dull film, but got a brilliant one"."""
        one, other = self.opinion(-sign), self.opinion(sign)
        text = (
            f"I/PRON>2:nsubj expected=expect/VERB>0:root a/DET>5:det {one}/ADJ>5:amod {{item}}>2:obj "
            f",/PUNCT>8:punct but/CCONJ>8:cc got=get/VERB>2:conj a/DET>11:det {other}/ADJ>11:amod one/NOUN>8:obj"
        )
        return fill(text, {"item": Node(self.item.noun.singular, "NOUN")})

    def background(self) -> Node:
        """A sentence without opinion: how somebody came by the thing."""
        person = self.scene.person()
        owner = noun_phrase(person, "nsubj")
        item = noun_phrase(self.item, "obj")
        verb = self.pick(("chose=choose", "tried=try", "found=find", "discovered=discover"))
        mine = self.pick(("for/ADP>5:case {me}>2:obl", "on/ADP>5:case {day}>2:obl"))
        day = self.pick(self.lexicon.tables["modifiers"]["times"]["days"])
        slots = {
            "owner": owner,
            "item": item,
            "me": Node("me", "PRON", "I"),
            "day": Node(day, "PROPN", feats="Number=Sing"),
        }
        return sentence(fill(f"{{owner}}>2:nsubj {verb}/VERB>0:root {{item}}>2:obj {mine}", slots))


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw one example: a row of `SCHEMA` without its id, in a list."""
    label = int(generator.integers(2))
    row = annotate(Review(generator, lexicon).text(2 * label - 1))
    return [row | {"label": float(label)}]
