"""Claims about sentences of known structure: what they were measured on, and on which encoder."""

import pandas as pd
import pytest
from ruamel.yaml import YAML

from stages.core.verdicts.answers import Answer
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import open_measures
from stages.core.verdicts.models import by_model, recorded_of_sets
from stages.core.verdicts.setting import Setting, departures
from stages.core.verdicts.trained import trainings
from stages.findings.stage import model_of, setting_here

RECORDINGS = {
    "known": {"model": "theirs", "arm": "tuned", "training": "masked words"},
    "other": {"model": "theirs"},
}


@pytest.fixture
def measures(tmp_path, monkeypatch):
    """A configuration without tasks and corpora, as configurations/sesame; six layers."""
    monkeypatch.chdir(tmp_path)
    parameters = {
        "run": {"tasks": [], "arms": ["untuned"], "seeds": [0]},
        "checkpoint": {"source": "folder", "path": "my-encoder", "training": "masked words"},
        "corpora": {},
        "stimuli": {"release": {"source": "release", "path": "corpora/opensesame"}},
    }
    parameters["stimuli"] |= {
        name: parameters["stimuli"]["release"] | {"recorded": {"path": "maps", **facts}}
        for name, facts in RECORDINGS.items()
    }
    with (tmp_path / "params.yaml").open("w") as stream:
        YAML().dump(parameters, stream)
    for name, layers in (
        ("release", 6),
        ("earlier", 9),
        ("known", 3),
        ("other", 3),
    ):  # the latter is left from another run
        file = tmp_path / f"work/measures/layer_probes/{name}/scores.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame({"layer": range(-1, layers)}).to_parquet(file)
    return open_measures()


def test_claims_on_sets_say_texts_inputs_layers_and_model(measures):
    estimate = Estimate(1.0, 0.5, 1.5, 20)
    found = Answer(estimate, {"release": estimate}, arm="untuned", uncontrolled="none")
    models = by_model(measures)
    assert model_of(found, models) == "my-encoder"
    here = setting_here(found, models["my-encoder"], trainings(measures, models)["my-encoder"])
    assert here == Setting(
        text="template", inputs="single", arm="untuned", training="masked words", layers=6
    )
    source = Setting(text="template", inputs="single", arm="untuned", layers=12)
    assert departures(source, here) == ["6 layers"]


def test_recorded_sets_are_of_their_model_and_of_no_other(measures):
    models = by_model(measures)
    assert {name: one.sets for name, one in models.items()} == {
        "my-encoder": ["release"],
        "theirs": ["known", "other"],
    }
    assert recorded_of_sets(measures.sets) == {"known": "theirs", "other": "theirs"}
    estimate = Estimate(1.0, 0.5, 1.5, 20)
    for name, arm, training in (
        ("known", "tuned", "masked words"),
        ("other", "not known", "not known"),
    ):
        found = Answer(estimate, {name: estimate}, arm="recorded", uncontrolled="none")
        assert model_of(found, models) == "theirs"
        here = setting_here(found, models["theirs"], trainings(measures, models)["theirs"])
        assert here == Setting(
            text="template", inputs="single", arm=arm, training=training, layers=3
        )


def test_each_model_has_its_training_and_claims_on_none_that_of_the_first(measures):
    models = by_model(measures)
    assert trainings(measures, models) == {
        "": "masked words",
        "my-encoder": "masked words",
        "theirs": "masked words",  # the entry `known` says it
    }
    del models["my-encoder"]  # nothing was measured of it, and its files are not asked for
    assert trainings(measures, models) == {"": "masked words", "theirs": "masked words"}
