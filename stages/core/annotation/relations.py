"""Names of syntactic relations: those of Universal Dependencies, whatever a treebank calls them."""

# Labels of Stanford dependencies (de Marneffe and Manning 2008), which Clark et al. 2019 use, for
# the same link between two words. `pobj` is seen from the noun, `case` from the preposition.
STANFORD = {
    "ROOT": "root",
    "auxpass": "aux:pass",
    "csubjpass": "csubj:pass",
    "dobj": "obj",
    "nn": "compound",
    "nsubjpass": "nsubj:pass",
    "num": "nummod",
    "pobj": "case",
    "poss": "nmod:poss",
    "prt": "compound:prt",
    "rcmod": "acl:relcl",
}


def relation_of(label: str) -> str:
    """The relation's name in Universal Dependencies; of a label without another name, itself."""
    return STANFORD.get(label, label)
