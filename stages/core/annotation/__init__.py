"""Annotation of words: treebanks, a tagger, kinds of words."""
