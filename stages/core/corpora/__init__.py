"""Annotated text that heads are measured on: written here, from treebanks and corpora, recorded."""
