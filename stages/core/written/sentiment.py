"""The task `sentiment`: a text about something, positive or negative as a whole.

Opinion words occur about as often in positive as in negative texts: clauses turn their polarity
round ("far from", "nobody found"), and of two clauses the one that counts is told by how they are
joined. Templates and the words that join clauses are written out in data/written/opinions.yaml,
each for one split alone.
"""

import re

import numpy as np

from stages.core.written.inflection import Verb, plural
from stages.core.written.lexicon import Lexicon, Noun
from stages.core.written.meaning import Phrase
from stages.core.written.phrase import noun_phrase
from stages.core.written.scene import Scene
from stages.core.written.template import fill
from stages.core.written.tree import Node, annotate, sentence

# How the clauses of a text are joined; a share of the texts begins with how it came about.
JOINS = ("single", "single", "both", "concession", "contrast", "report", "reversal", "despite")
STORY_SHARE = 0.35
OPERATOR_SHARE = 0.35  # of the other clauses: under "nobody could deny that" and the like
LIKING_SHARE = 0.25  # of the clauses: a verb of liking, not an opinion word


class Review:
    """Draws a text about one thing and its aspects.

    The judge is the writer ("I"), or somebody whom the first sentence introduces.
    """

    def __init__(self, generator: np.random.Generator, lexicon: Lexicon):
        self.lexicon = lexicon
        self.table = lexicon.tables["opinions"]
        self.scene = Scene(generator, lexicon, richness=0.1)
        self.pick, self.chance = self.scene.pick, self.scene.chance
        domain = self.pick(self.table["domains"].values())
        self.item = self._referent(self.pick(lexicon.open(domain["item"])))
        aspects = generator.permutation(lexicon.open(domain["aspects"]))
        self.aspects = [self._referent(aspect) for aspect in aspects]
        self.judge: Phrase | None = None
        self.told = False  # whether the thing has been named
        self.used: set[str] = set()
        self.taken: list[str] = []  # templates

    def template(self, *keys: str) -> str:
        """One of the templates below some keys of opinions.yaml."""
        return self._taken(self.pick(self.lexicon.templates("opinions", *keys)))

    def _taken(self, template: str) -> str:
        self.taken.append(template)
        return template

    def _referent(self, entry: str) -> Phrase:
        """A thing or an aspect; "actors/" is used in the plural."""
        word, slash, _ = str(entry).partition("/")
        one = word.removesuffix("s") if slash else word
        return self.scene.referent(
            Noun(one, word if slash else plural(word), "aspect"), gender="Neut", plural=bool(slash)
        )

    def opinion(self, sign: int) -> Node:
        """An opinion word of a polarity that the text does not have yet."""
        words = self.lexicon.open(self.table["positive" if sign > 0 else "negative"])
        word = self.pick([word for word in words if word not in self.used])
        self.used.add(word)
        return Node(word, "ADJ", feats="Degree=Pos")

    def target(self) -> Phrase:
        """What a clause judges: the thing, by a pronoun once it is named, or another aspect."""
        if self.chance(0.7):
            return self.aspects.pop()
        named, self.told = self.told, True
        return self.item.as_pronoun() if named else self.item

    def clause(self, sign: int, about: Phrase, likes: bool = True, reported: bool = False) -> Node:
        """A clause that judges `about` with a polarity of 1 or -1.

        Without `likes` it has an opinion word, no verb of liking. A `reported` clause has the
        aspect as its subject, so that nobody else judges it.
        """
        if likes and not reported and self.chance(LIKING_SHARE):
            return self._liking(sign, about)
        if not reported and self.chance(OPERATOR_SHARE):
            operator = self.pick(self.lexicon.templates("opinions", "operators"))
            claim = self.clause(sign * operator["sign"], about, reported=True)
            text = self._taken(operator["text"])
            return fill(text, {"judge": self._judge(), "claim": claim})
        frames = self.lexicon.templates("opinions", "adjective_frames")
        frame = self.pick([f for f in frames if not reported or _subject_is_aspect(f)])
        return self._filled(frame, about, opinion=self.opinion(sign * frame["sign"]))

    def _liking(self, sign: int, about: Phrase) -> Node:
        frame = self.pick(self.lexicon.templates("opinions", "verb_frames"))
        verbs = self.table["likes" if sign * frame["sign"] > 0 else "dislikes"]
        verb = Verb.parse(self.pick(self.lexicon.open(verbs)))
        return self._filled(
            frame,
            about,
            like=Node(verb.lemma, "VERB", feats="VerbForm=Inf"),
            liked=_past(verb),
            liking=Node(verb.gerund, "VERB", verb.lemma, feats="VerbForm=Ger"),
        )

    def _filled(self, frame: dict, about: Phrase, **slots: Node) -> Node:
        degree = self.pick(self.lexicon.tables["modifiers"]["adverbs"]["degree"])
        relation = "nsubj" if re.search(r"\{aspect\}>\d+:nsubj", frame["text"]) else "obj"
        slots |= {
            "aspect": noun_phrase(about, relation),
            "degree": Node(degree, "ADV"),
            "judges": noun_phrase(self._judges(determiner=""), "nsubj"),
            "judge": self._judge(),
        }
        return fill(self._taken(frame["text"]), slots, about.plural)

    def _judge(self) -> Node:
        if self.judge is None:
            return Node("I", "PRON", feats="Case=Nom|Number=Sing|Person=1|PronType=Prs")
        return noun_phrase(self.judge.as_pronoun(), "nsubj")

    def _judges(self, determiner: str) -> Phrase:
        noun = self.pick(self.lexicon.open(self.table["judges"]))
        return self.scene.referent(
            Noun(noun, plural(noun), "person"), determiner=determiner, plural=True
        )

    # Texts

    def text(self, sign: int) -> list[Node]:
        """Sentences whose polarity as a whole is `sign`."""
        sentences = [self.story()] if self.chance(STORY_SHARE) else []
        join = getattr(self, self.pick(JOINS))
        return [*sentences, sentence(join(sign))]

    def story(self) -> Node:
        """A first sentence without opinion: who came by the thing, and when or with whom."""
        self.judge = self.scene.person_of(self.pick(("Fem", "Masc")))
        self.told = True
        verb = Verb.parse(self.pick(self.table["encounters"]))
        day = self.pick(self.lexicon.tables["modifiers"]["times"]["days"])
        slots = {
            "person": noun_phrase(self.judge, "nsubj"),
            "verb": _past(verb),
            "item": noun_phrase(self.item, "obj"),
            "day": Node(day, "PROPN", feats="Number=Sing"),
            "companion": noun_phrase(self._companion(), "obl"),
        }
        return sentence(fill(self.template("stories"), slots))

    def _companion(self) -> Phrase:
        """A relative of the judge, of the other gender, so that pronouns stay clear."""
        kin = [n for n in self.lexicon.gendered("kin") if n.gender != self.judge.gender]
        return self.scene.referent(
            self.pick(kin), owner=self.judge.as_pronoun(), gender=kin[0].gender
        )

    def single(self, sign: int) -> Node:
        return self.clause(sign, self.target())

    def both(self, sign: int) -> Node:
        """Two clauses of one polarity: "X, and Y"."""
        return self._joined(sign, sign, "addition")

    def contrast(self, sign: int) -> Node:
        """Two clauses of opposite polarity, "X, but Y": what is said last counts."""
        return self._joined(-sign, sign, "contrast")

    def _joined(self, first: int, second: int, how: str) -> Node:
        about = self.target()
        if self.chance(0.4):
            # Opinion words only: nobody both likes and dislikes a thing in one sentence.
            root = self.clause(first, about, likes=False)
            other = self.clause(second, about.as_pronoun(), likes=False)
        else:
            root, other = self.clause(first, about), self.clause(second, self.target())
        other.relation = "conj"
        word, *more = self.template("joins", how).split(" ")
        adverbs = [Node(adverb, "ADV", relation="advmod") for adverb in more]
        other.before[0:0] = [_comma(), Node(word, "CCONJ", relation="cc"), *adverbs]
        root.after.append(other)
        return root

    def concession(self, sign: int) -> Node:
        """Main clause and concession, "although X, Y" or "Y, although X": the main one counts."""
        first = self.chance(0.5)
        targets = [self.target(), self.target()]
        root = self.clause(sign, targets[first])
        side = self.clause(-sign, targets[not first])
        side.relation = "advcl"
        *adverbs, mark = self.template("joins", "concession").split(" ")
        side.before.insert(0, Node(mark, "SCONJ", relation="mark"))
        side.before[0:0] = [Node(adverb, "ADV", relation="advmod") for adverb in adverbs]
        if first:
            root.before[0:0] = [side, _comma()]
        else:
            side.before.insert(0, _comma())
            root.after.append(side)
        return root

    def despite(self, sign: int) -> Node:
        """A main clause after "despite the dull plot"."""
        side = noun_phrase(self.aspects.pop(), "obl", self.template("joins", "despite"))
        word = self.opinion(-sign)
        word.relation = "amod"
        relations = [node.relation for node in side.before]
        nouns = relations.index("compound") if "compound" in relations else len(relations)
        side.before.insert(nouns, word)
        root = self.clause(sign, self.target())
        root.before[0:0] = [side, _comma()]
        return root

    def report(self, sign: int) -> Node:
        """What others said, and whether they were right."""
        right = self.chance(0.5)
        people = self._judges(determiner="the")
        slots = {
            "people": noun_phrase(people, "nsubj"),
            "verb": _past(Verb.parse(self.pick(self.table["claims"]))),
            "claim": self.clause(sign if right else -sign, self.target(), reported=True),
            "they": noun_phrase(people.as_pronoun(), "nsubj"),
            "judge": self._judge(),
        }
        return fill(self.template("reports", "right" if right else "wrong"), slots)

    def reversal(self, sign: int) -> Node:
        """An expectation of the other polarity: "I expected a dull film, but got a good one"."""
        slots = {
            "judge": self._judge(),
            "judges": noun_phrase(self._judges(determiner=""), "nsubj"),
            "item": Node(self.item.noun.singular.split()[-1], "NOUN", feats="Number=Sing"),
            "expected": self.opinion(-sign),
            "found": self.opinion(sign),
        }
        *modifiers, _ = self.item.noun.singular.split()
        slots["item"].before = [Node(word, "NOUN", relation="compound") for word in modifiers]
        return fill(self.template("reversals"), slots)


def _comma() -> Node:
    return Node(",", "PUNCT", relation="punct", glued=True)


def _past(verb: Verb) -> Node:
    return Node(verb.past, "VERB", verb.lemma, feats="Mood=Ind|Tense=Past|VerbForm=Fin")


def _subject_is_aspect(frame: dict) -> bool:
    return frame["text"].startswith("{aspect}")


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw one example: a row of `SCHEMA` without its id, in a list, with its templates."""
    label = int(generator.integers(2))
    review = Review(generator, lexicon)
    row = annotate(review.text(2 * label - 1))
    return [row | {"label": float(label), "templates": review.taken}]
