"""What is said of a model: layers, heads and parameters, counted in a file made by hand."""

import json

import numpy as np
import pandas as pd
from safetensors.numpy import save_file

from stages.core.verdicts.findings import read_findings
from stages.report.model_facts import KNOWN_AS, ModelFacts, model_facts, model_in_words, of_folder
from tests.report.test_bars import finding
from tests.report.test_overview import findings


def test_parameters_are_those_of_the_encoder_alone(tmp_path):
    (tmp_path / "config.json").write_text('{"num_hidden_layers": 2, "num_attention_heads": 3}')
    tensors = {
        "embeddings.weight": np.zeros((10, 4), dtype=np.float32),
        "layer.bias": np.zeros(4, dtype=np.float16),
        "embeddings.position_ids": np.zeros((1, 100), dtype=np.int64),  # a buffer
        "cls.predictions.bias": np.zeros(1000, dtype=np.float32),  # predicts masked words
    }
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    assert of_folder(tmp_path) == (2, 3, 44)
    (tmp_path / "config.json").write_text(json.dumps({"n_layers": 5, "n_heads": 6}))
    assert of_folder(tmp_path)[:2] == (5, 6)


def test_a_recorded_model_has_the_heads_of_the_table_and_no_parameters():
    table = pd.DataFrame({"model": ["theirs"] * 2, "layer": [0, 11], "head": [11, 3]})
    setting = {"source": {}, "here": {"training": "masked words"}, "departures": []}
    claims = {"a": finding(model="theirs", setting=setting)}
    (facts,) = model_facts(findings(claims, models=["theirs"]), table)
    assert facts == ModelFacts("theirs", 12, 12, None, "trained on masked words", True)
    assert facts.in_words == (
        "12 layers of 12 heads; trained on masked words; its attention was recorded elsewhere"
    )


def test_what_nobody_says_is_left_out():
    (facts,) = model_facts(findings({}), pd.DataFrame(columns=["model", "layer", "head"]))
    assert facts.in_words == ""  # the package "tiny" is not installed
    one = ModelFacts("small", 1, 1, 4_960_000, None, False)
    assert one.in_words == "1 layer of 1 head; 5.0 million parameters"


def test_weights_with_a_known_sum_have_their_public_name():
    (known,) = KNOWN_AS
    none = pd.DataFrame(columns=["model", "layer", "head"])
    for digest, name in ((known, KNOWN_AS[known]), (known[::-1], None)):
        source = {"source": "package", "package": "tiny", "sha256": {"model.safetensors": digest}}
        made = findings({}, checkpoint=source)
        (facts,) = model_facts(made, none)
        assert facts.known_as == name
        assert model_in_words(facts.name, made) == (name or facts.name).split("/")[-1]
        assert model_in_words("of others", made) == "of others"
        of_weights = findings({}, checkpoint=source | {"sha256": digest})
        assert model_facts(of_weights, none)[0].known_as == name


def test_nothing_that_is_true_of_the_default_alone_is_said_of_another_model(synthetic_reports):
    """Its checkpoint is another one, of whose training nobody says anything."""
    made = read_findings(synthetic_reports / "reports/findings.json")
    told = {one.setting.here.training for one in made.claims.values()}
    assert told == {"not known"}
    pages = "".join(path.read_text() for path in synthetic_reports.glob("reports/site/**/*.html"))
    for words in ("sentence encoder", "similarity of sentences", "MiniLM", "6 layers of"):
        assert words not in pages, words
    assert "how it was trained is not known" in pages
