import inspect

import pytest

import stages.findings
from stages.core.stage.files import InputError
from stages.core.verdicts.claims import (
    REGISTERED,
    Published,
    Settings,
    answer,
    measure,
    read_claims,
    source_setting,
)
from stages.core.verdicts.region import Region

CLAIM = """\
papers:
  paper: {cited: Somebody 2019, layers: 12, layers_from: 1}
studies:
  A1: {text: natural, inputs: pairs, arm: tuned}
claims:
- id: A
  study: A1
  paper: paper
  section: "1"
  statement: Something is so.
  kind: words
  unit: points
  measure: anything
  holds: {above: 0}
  published: {where: nowhere}
"""


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
        (("kind: words", "kind: number"), "`kind` is number, but `published` has none"),
        (("  kind: words\n", ""), "`claims.0.kind`: this key is missing"),
        (
            ("kind: words", "kind: own\n  note: x", "{where:", "{value: 2, where:"),
            "`kind` is own, but `published` has a number",
        ),
        (("  A1: {", "  B1: {"), "claim A: study 'A1' is not listed under `studies`"),
        (
            ("holds:", "layers: {first: 0, last: 12}\n  holds:"),
            "layers 0 to 12, but paper counts its layers from 1 to 12",
        ),
    ],
)
def test_a_wrong_claims_file_is_refused(tmp_path, change, complaint):
    path = tmp_path / "claims.yaml"
    text = CLAIM
    for old, new in zip(change[::2], change[1::2], strict=True):
        text = text.replace(old, new)
    path.write_text(text)
    with pytest.raises(InputError, match="claims.yaml") as caught:
        read_claims(path)
    assert complaint in str(caught.value)


def test_a_claim_departs_from_the_setting_of_its_study_by_what_it_says(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIM.replace("  kind: words\n", "  kind: words\n  setting: {arm: untuned}\n"))
    content = read_claims(path)
    setting = source_setting(content.claims[0], content)
    assert setting.model_dump() == {
        "text": "natural",
        "inputs": "pairs",
        "arm": "untuned",
        "training": "masked words",
        "layers": 12,
    }


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


def test_of_a_published_range_the_end_next_to_the_bound_counts():
    published = Published(low=3, high=7, where="Table 1")
    assert published.nearest(Region(above=2)) == 3
    assert published.nearest(Region(below=9)) == 7
    assert Published(value=5, where="Table 1").nearest(Region(above=2)) == 5
