"""Dependency trees whose reading gives text and gold annotation at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM")
NEGATIONS = {"not", "never", "no", "nobody", "nothing", "none", "neither", "nor"}
# Children that stand at the edge of a noun phrase but are no part of the mention.
OUTSIDE_MENTION = {"case", "punct", "mark", "cc", "conj", "cop", "nsubj", "advmod", "parataxis"}
# Written "u" or "eu" but spoken "you", written "o" but spoken "w"; and the silent h.
CONSONANT_SOUND = ("uni", "use", "usu", "eu", "one", "once")
VOWEL_SOUND = ("hour", "honest", "heir", "honour")


@dataclass
class Node:
    """A word and what depends on it: children `before` and `after` it, in text order.

    `entity` marks a mention: nodes of one entity in one text corefer. `glued` words are written
    without a space before them.
    """

    form: str
    upos: str
    lemma: str = ""
    relation: str = "root"
    feats: str = ""
    before: list["Node"] = field(default_factory=list)
    after: list["Node"] = field(default_factory=list)
    entity: int | None = None
    glued: bool = False

    def __post_init__(self) -> None:
        self.lemma = self.lemma or self.form

    def walk(self) -> list["Node"]:
        """The nodes of the subtree in text order."""
        nodes: list[Node] = []
        self._gather(nodes)
        return nodes

    def _gather(self, nodes: list["Node"]) -> None:
        for child in self.before:
            child._gather(nodes)
        nodes.append(self)
        for child in self.after:
            child._gather(nodes)

    @property
    def kind(self) -> str:
        return {"PRON": "pronoun", "PROPN": "proper"}.get(self.upos, "nominal")


def sentence(root: Node, mark: str = ".") -> Node:
    """Close a clause with its punctuation mark."""
    root.after.append(Node(mark, "PUNCT", relation="punct", glued=True))
    return root


def annotate(
    first: Sequence[Node],
    second: Sequence[Node] | None = None,
    capitals: tuple[bool, bool] = (True, True),
) -> dict:
    """Read the trees of one or two texts as a row of `stages.core.tasks.examples.SCHEMA`.

    Args:
        first: the sentences of `text_a`.
        second: those of `text_b`; None for a single text.
        capitals: whether the sentences of each text begin with a capital letter.
    """
    words: list[dict] = []
    mentions: list[dict] = []
    texts = []
    for segment, roots in enumerate([first] if second is None else [first, second]):
        text, more, told = _read(roots, len(words), capitals[segment])
        texts.append(text)
        words += [{"segment": segment} | word for word in more]
        mentions += [{"segment": segment} | mention for mention in told]
    clusters: dict[tuple[int, int], int] = {}
    for mention in mentions:
        key = (mention["segment"], mention.pop("entity"))
        mention["cluster"] = clusters.setdefault(key, len(clusters))
    return {
        "text_a": texts[0],
        "text_b": None if second is None else texts[1],
        "words": words,
        "mentions": mentions,
        "shared": shared_terms(words),
    }


def plain(root: Node) -> str:
    """The words of a tree in small letters, each after a space: quicker than `annotate`."""
    nodes = root.walk()
    forms = (_article(*both) for both in zip(nodes, [*nodes[1:], None], strict=True))
    return " ".join(forms).lower()


def shared_terms(words: Sequence[dict]) -> list[dict]:
    """Pair the content words of the two segments that have equal lemmas."""
    content = [(i, word) for i, word in enumerate(words) if word["upos"] in CONTENT]
    return [
        {"a": a, "b": b}
        for a, one in content
        if one["segment"] == 0
        for b, other in content
        if other["segment"] == 1 and one["lemma"].lower() == other["lemma"].lower()
    ]


def _read(roots: Sequence[Node], offset: int, capitals: bool) -> tuple[str, list[dict], list[dict]]:
    nodes = [node for root in roots for node in root.walk()]
    position = {id(node): offset + i for i, node in enumerate(nodes)}
    head = {id(child): position[id(n)] for n in nodes for child in n.before + n.after}
    initial = {id(root.walk()[0]) for root in roots}
    text, words = "", []
    for node, following in zip(nodes, [*nodes[1:], None], strict=True):
        form = _article(node, following)
        if capitals and id(node) in initial:
            form = form[0].upper() + form[1:]
        start = len(text) + (bool(text) and not node.glued)
        text = text.ljust(start) + form
        words.append(
            {
                "text": form,
                "start": start,
                "end": len(text),
                "lemma": node.lemma,
                "upos": node.upos,
                "feats": node.feats,
                "head": head.get(id(node), -1),
                "deprel": node.relation,
                "negation": node.lemma.lower() in NEGATIONS,
            }
        )
    mentions = []
    for node in nodes:
        if node.entity is None:
            continue
        inside = [position[id(node)]] + [
            position[id(part)]
            for child in node.before + node.after
            if child.relation not in OUTSIDE_MENTION
            for part in child.walk()
        ]
        mentions.append(
            {
                "first": min(inside),
                "last": max(inside),
                "head": position[id(node)],
                "entity": node.entity,
                "kind": node.kind,
            }
        )
    mentions.sort(key=lambda mention: (mention["first"], -mention["last"]))
    return text, words, mentions


def _article(node: Node, following: Node | None) -> str:
    """The form of a word; `a` becomes `an` before a vowel sound."""
    if node.form != "a" or following is None:
        return node.form
    word = following.form.lower()
    vowel = word.startswith(VOWEL_SOUND) or (
        word[0] in "aeiou" and not word.startswith(CONSONANT_SOUND)
    )
    return "an" if vowel else "a"
