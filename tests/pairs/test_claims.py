"""What claims read of candidates, beside rows that they must leave alone."""

import pytest

from stages.core.verdicts.measures import NotMeasured
from stages.core.verdicts.region import Region, verdict
from stages.pairs.tables import CANDIDATES
from tests.claims import found, write_table

KIND = "verb and subject"


def row(arm: str = "untuned", share: float = 0.8, chance: float = 0.1, **which) -> dict:
    facts = {"arm": arm, "heads": 72, "candidates": 8, "diagonal": 7, "both": 6}
    facts |= {"texts": 120, "kind": KIND, "pairing": "crossed", "aggregate": "maximum"} | which
    for name, value in (("share", share), ("chance", chance), ("excess", share - chance)):
        facts |= {name: value, f"{name}_low": value - 0.2, f"{name}_high": value + 0.1}
    return facts


DECOYS = [
    row(share=0.1, kind="noun and pronoun"),
    row(share=0.2, pairing="zipped"),
    row(share=0.3, aggregate="sum"),
]


def test_share_and_excess_of_the_candidates(measures):
    write_table(measures, CANDIDATES, [*DECOYS, row(), row("random_weights", 0.05, 0)])
    measures._wanted["corpus"] = ["one"]
    share = found(measures, "diagonal_candidates", kind=KIND)
    interval = share.pooled.value, share.pooled.low, share.pooled.high
    assert interval == pytest.approx((0.8, 0.6, 0.9))
    assert (share.pooled.n, share.counted) == (120, "texts")
    assert (share.control.value, share.beyond.value) == pytest.approx((0.05, 0.75))
    excess = found(measures, "diagonal_candidates", kind=KIND, beyond_chance=True)
    assert (excess.pooled.value, excess.pooled.low) == pytest.approx((0.7, 0.5))
    assert excess.control.value == pytest.approx(0.05)
    with pytest.raises(NotMeasured, match="sun and moon"):
        found(measures, "diagonal_candidates", kind="sun and moon")


def test_random_weights_in_place_of_the_encoder_do_not_pass(measures):
    rows = [row("untuned", 0.05, 0.05), row("random_weights", 0.05, 0.05)]
    write_table(measures, CANDIDATES, rows, 0.02)
    measures._wanted["corpus"] = ["one"]
    for beyond_chance, bound in ((False, 0.5), (True, 0.0)):
        answer = found(measures, "diagonal_candidates", kind=KIND, beyond_chance=beyond_chance)
        assert verdict(answer.pooled, Region(above=bound), answer.beyond) != "holds"
