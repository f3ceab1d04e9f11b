import inspect
import math

import pytest
from pydantic import ValidationError

import stages.findings
from stages.core.stage.files import InputError
from stages.core.verdicts.claims import (
    REGISTERED,
    Region,
    Settings,
    answer,
    measure,
    read_claims,
    verdict,
)
from stages.core.verdicts.estimates import Estimate

CLAIM = """\
papers:
  paper: {cited: Somebody 2019, layers: 12, layers_from: 1}
claims:
- id: A
  study: A1
  paper: paper
  section: "1"
  statement: Something is so.
  unit: points
  measure: anything
  holds: {above: 0}
  published: {where: nowhere}
"""


@pytest.mark.parametrize(
    ("region", "low", "high", "expected"),
    [
        ({"above": 0}, 0.1, 2.0, "holds"),
        ({"above": 0}, -0.1, 2.0, "undecided"),
        ({"above": 0}, -2.0, -0.1, "fails"),
        ({"above": 0}, 0.0, 2.0, "undecided"),  # an interval that ends on the bound is not inside
        ({"above": 0}, -2.0, 0.0, "fails"),
        ({"above": 0}, 0.0, 0.0, "fails"),
        ({"below": 0}, -2.0, -0.1, "holds"),
        ({"below": 0}, -2.0, 0.1, "undecided"),
        ({"below": 0}, 0.1, 2.0, "fails"),
        ({"above": 0, "margin": 1}, -0.9, 0.5, "holds"),  # not worse by more than the margin
        ({"above": 0, "margin": 1}, -1.5, 0.5, "undecided"),
        ({"above": 0, "margin": 1}, -3.0, -1.0, "fails"),
        ({"above": 0.32, "below": 0.61}, 0.4, 0.5, "holds"),
        ({"above": 0.32, "below": 0.61}, 0.3, 0.5, "undecided"),
        ({"above": 0.32, "below": 0.61}, 0.2, 0.7, "undecided"),
        ({"above": 0.32, "below": 0.61}, 0.62, 0.7, "fails"),
        ({"above": 0}, math.nan, math.nan, "undecided"),
    ],
)
def test_the_whole_interval_decides(region, low, high, expected):
    assert verdict(Estimate((low + high) / 2, low, high, 10), Region(**region)) == expected


@pytest.mark.parametrize("region", [{}, {"margin": 1}, {"above": 0, "margin": -1}])
def test_a_region_needs_a_bound_and_no_negative_margin(region):
    with pytest.raises(ValidationError):
        Region(**region)


def test_every_claim_names_a_registered_measure_with_its_arguments():
    stages.findings.load()
    for claim in read_claims().claims:
        if not claim.absent:
            layers = {} if claim.layers is None else {"layers": claim.layers}
            signature = inspect.signature(REGISTERED[claim.measure])
            signature.bind(None, None, **claim.arguments, **layers)


def test_every_study_of_the_default_configuration_has_a_claim():
    studies = {claim.study for claim in read_claims().claims if not claim.absent}
    assert {"K1", "K2", "K3", "K5", "K8", "K9", "T1", "T2", "T3", "T4", "T9"} <= studies


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("paper: paper\n", "paper: other\n"), "claim A: paper 'other' is not listed"),
        (("  study: A1\n", ""), "`claims.0.study`: this key is missing"),
        (("  measure: anything\n", ""), "say in `absent` why not"),
        (("  measure: anything\n", "  measure: anything\n  absent: no data\n"), "`absent`"),
        (("unit: points", "unit: metres"), "`claims.0.unit`"),
        (
            ("holds:", "layers: {first: 0, last: 12}\n  holds:"),
            "layers 0 to 12, but paper counts its layers from 1 to 12",
        ),
    ],
)
def test_a_wrong_claims_file_is_refused(tmp_path, change, complaint):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIM.replace(*change))
    with pytest.raises(InputError, match="claims.yaml") as caught:
        read_claims(path)
    assert complaint in str(caught.value)


def test_an_id_stands_once(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIM + CLAIM.split("claims:\n")[1])
    with pytest.raises(InputError, match=r"\['A'\] stand twice"):
        read_claims(path)


def test_an_unknown_measure_is_named(tmp_path, measures):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIM)
    with pytest.raises(InputError, match="claim A: no measure is called 'anything'"):
        content = read_claims(path)
        settings = Settings(configuration="test")
        answer(content.claims[0], content.papers["paper"], measures, settings)


def test_two_measures_of_one_name_are_refused():
    def repeated(measures, settings):
        raise NotImplementedError

    measure(repeated)
    try:
        with pytest.raises(ValueError, match="two measures are called repeated"):
            measure(repeated)
    finally:
        del REGISTERED["repeated"]
