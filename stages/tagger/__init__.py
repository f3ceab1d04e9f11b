"""Train spaCy on a treebank, to annotate text that has no annotation."""
