"""Layers of the sources in other encoders, by hand."""

import pandas as pd
import pytest

from stages.core.verdicts.claims import band, read_claims

CONTENT = read_claims()
# The layers (from 0) that each claim is asked of in an encoder of 6 layers; in one of 12 they are
# the source's own.
OF_SIX = {
    "T4-middle": [2, 3, 4],
    "T9-upper": [3, 4, 5],
    "C2-sep": [2, 3, 4],
    "C2-sep-to-sep": [2, 3, 4],
    "C2-cls": [0, 1],
    "C2-punctuation": [5],
    "C3-sep": [2, 3, 4, 5],
    "C3-cls": [2, 3, 4, 5],
    "C3-sep-summed": [2, 3, 4, 5],
    "C4-broad": [0],
    "C4-cls": [5],
    "K5-last": [5],
    "K5-last-padded": [5],
    "L1-auxiliary-jump": [0],
    "L1-auxiliary-best": [1, 2],
    "L1-auxiliary-first": [1, 2],
    "L1-position-layers": [0],
    "L1-position-first": [0],
    "L2-rise-agreement": [1],
    "L2-rise-reflexive": [1],
}
OF_TWELVE = {
    "T4-middle": range(5, 10),  # counted from 0 by the source
    "T9-upper": range(6, 12),
    "C2-sep": range(5, 10),  # layers 6 to 10, counted from 1
    "C2-sep-to-sep": range(5, 10),
    "C2-cls": range(4),
    "C2-punctuation": range(10, 12),
    "C3-sep": range(4, 12),
    "C3-cls": range(4, 12),
    "C3-sep-summed": range(4, 12),
    "C4-broad": range(2),
    "C4-cls": range(11, 12),
    "K5-last": range(10, 12),  # layers 11 and 12, counted from 1
    "K5-last-padded": range(10, 12),
    "L1-auxiliary-jump": range(1, 2),  # layer 4 of 24, counted from 1
    "L1-auxiliary-best": range(3, 6),
    "L1-auxiliary-first": range(3, 6),
    "L1-position-layers": range(3),
    "L1-position-first": range(3),
    "L2-rise-agreement": range(3, 4),  # layer 4, counted from 1
    "L2-rise-reflexive": range(3, 4),
}


def chosen(claim: str, count: int) -> list[int]:
    entry = next(entry for entry in CONTENT.claims if entry.id == claim)
    layers = pd.Series(range(count))
    return layers[band(entry.layers, CONTENT.papers[entry.paper]).holds(layers)].tolist()


def test_every_claim_about_layers_is_checked_here():
    assert {claim.id for claim in CONTENT.claims if claim.layers} == set(OF_SIX) == set(OF_TWELVE)


@pytest.mark.parametrize("claim", OF_SIX)
def test_layers_of_six_and_of_twelve(claim):
    assert chosen(claim, 6) == OF_SIX[claim]
    assert chosen(claim, 12) == list(OF_TWELVE[claim])


def test_a_claim_about_low_layers_has_none_in_an_encoder_of_one_layer():
    assert chosen("C2-cls", 1) == []
    assert chosen("C4-cls", 1) == [0]
