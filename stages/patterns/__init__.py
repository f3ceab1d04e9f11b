"""The five pattern classes: labelled maps, the classifier, shares (Kovaleva et al. 2019, 4.1)."""
