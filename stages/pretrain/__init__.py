"""A small BERT, made of plain text by masked language modelling (Devlin et al. 2019, 3.1)."""
