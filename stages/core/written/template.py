"""Templates: sentences written out with their dependencies and slots for words and phrases.

A template is a row of tokens `form/UPOS>head:relation`; heads count tokens from 1, 0 is the root.
`{name}>head:relation` is a slot, which takes a tree. `failed=fail/VERB>0:root` gives the lemma.
`was~were` is singular or plural as the first subject among the slots is. For instance

    {aspect}>4:nsubj was~were=be/AUX>4:cop not/PART>4:advmod {opinion}>0:root
"""

import re

from stages.core.stage.files import InputError
from stages.core.written.tree import Node

TOKEN = re.compile(
    r"(?P<form>\{\w+\}|[^\s=/>]+)(=(?P<lemma>[^\s/>]+))?(/(?P<upos>[A-Z]+))?"
    r">(?P<head>\d+):(?P<relation>[a-z:]+)"
)
FEATURES = {"NOUN": "Number=Sing", "PROPN": "Number=Sing"}
GLUED = {",", ".", ":", ";", "?", "!"}


def fill(template: str, slots: dict[str, Node], plural: bool = False) -> Node:
    """Build the tree of a template; every slot it names must be in `slots`.

    Raises:
        InputError: a token is not of the form above, or the heads make no projective tree.
    """
    nodes, heads = [], []
    for token in template.split():
        match = TOKEN.fullmatch(token)
        if match is None or (match["upos"] is None and match["form"][0] != "{"):
            raise InputError(f"template {template!r}: cannot read the token {token!r}")
        nodes.append(_node(match, slots, plural))
        heads.append(int(match["head"]))
    roots = [node for node, head in zip(nodes, heads, strict=True) if head == 0]
    if len(roots) != 1 or max(heads) > len(nodes):
        raise InputError(f"template {template!r}: there must be one root, and heads in range")
    for i, (node, head) in reversed(list(enumerate(zip(nodes, heads, strict=True), start=1))):
        if 0 < i < head:
            nodes[head - 1].before.insert(0, node)
    for i, (node, head) in enumerate(zip(nodes, heads, strict=True), start=1):
        if 0 < head < i:
            nodes[head - 1].after.append(node)
    order = {id(node): i for i, node in enumerate(nodes)}
    places = [order[id(node)] for node in roots[0].walk() if id(node) in order]
    if places != list(range(len(nodes))):
        raise InputError(f"template {template!r}: its heads make no projective tree")
    return roots[0]


def _node(match: re.Match, slots: dict[str, Node], plural: bool) -> Node:
    form, relation = match["form"], match["relation"]
    if form[0] == "{":
        node = slots[form[1:-1]]
        node.relation = relation
        return node
    one, _, many = form.partition("~")
    form = many if plural and many else one
    return Node(
        form,
        match["upos"],
        match["lemma"] or form,
        relation,
        FEATURES.get(match["upos"], ""),
        glued=form in GLUED,
    )
