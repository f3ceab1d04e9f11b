"""The data of a head's page: what studies found of that head and no other, and its own maps."""

import base64
import json
import zlib

import numpy as np
import pandas as pd
import pytest

from stages.core.verdicts.measures import Measures
from stages.core.viewer.packed_maps import unpacked
from stages.core.viewer.tables import TEXTS as KEPT
from stages.report.head_examples import examples_of, label_in_words, notes, shortened
from stages.report.head_pages import HeadFacts, ModelHeads, facts_of_layer, write_heads
from tests.examples.planted import TEXTS, planted_map, write_planted

LAYERS, HEADS, PLANTED = 4, 5, (2, 3)
NAN = float("nan")


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measures")
    write_planted(folder, "relevance", LAYERS, HEADS, PLANTED, drawn=2)
    measures = Measures(
        folder / "work/measures", {"relevance": "accuracy"}, ["tuned"], {"relevance": [0]}
    )
    assert len(measures.rows(KEPT))
    return examples_of(measures, {"relevance": ["unrelated", "close"]})


def map_in(record: dict, arm: int, layer: int, head: int) -> np.ndarray:
    """One map as the page's script unpacks it."""
    codes = zlib.decompress(base64.b64decode(record["models"][arm]["packed"]))
    tokens = len(record["pieces"])
    shape = (len(record["layers"]), len(record["heads"]), tokens, tokens)
    maps = unpacked(np.frombuffer(codes, dtype=np.uint8)).reshape(shape)
    return maps[record["layers"].index(layer), record["heads"].index(head)]


def test_a_drawn_example_has_the_planted_map_in_its_place(examples):
    drawn = [example for example in examples if example.drawn]
    assert len(drawn) == 2
    for example in drawn:
        tokens = len(example.record["pieces"])
        for arm in (0, 1):
            np.testing.assert_array_equal(
                map_in(example.record, arm, *PLANTED), planted_map(tokens)
            )
            other = map_in(example.record, arm, PLANTED[1] - 1, PLANTED[0])
            assert not np.allclose(other, planted_map(tokens))
        first, *_ = example.record["models"]
        assert first["name"] == "tuned"
        assert first["patterns"][PLANTED[0] * HEADS + PLANTED[1]][0] == "diagonal"
        assert example.record["label"] == "unrelated"


def test_chosen_examples_have_the_chosen_head_alone(examples):
    clearest = next(one for one in examples if one.why.startswith("the clearest of 4 diagonal"))
    assert clearest.why == "the clearest of 4 diagonal maps, probability 90%"
    assert clearest.record["texts"] == list(TEXTS[3])
    assert clearest.heads == [PLANTED]
    tokens = len(clearest.record["pieces"])
    np.testing.assert_array_equal(map_in(clearest.record, 1, *PLANTED), planted_map(tokens))


def test_notes_name_the_clearest_and_the_median_of_the_drawn_texts(examples):
    drawn = {one.key: one.clear[PLANTED][1] for one in examples if one.drawn}
    found = notes(examples)[PLANTED]
    assert set(found) == set(drawn)  # of two the lower one is the median
    for key, said in found.items():
        which = "clearest" if drawn[key] == max(drawn.values()) else "median"
        assert said == f"{which} of this head's maps (diagonal, probability {drawn[key]:.0%})"


@pytest.mark.parametrize(
    ("label", "labels", "said"),
    [(1.0, ["no", "yes"], "yes"), (3.2, None, "3.2"), (NAN, None, ""), (NAN, ["no"], "")],
)
def test_labels_in_words(label, labels, said):
    assert label_in_words(label, labels) == said


def test_long_texts_are_cut():
    assert shortened("a" * 60) == "a" * 60
    assert shortened("a" * 61) == "a" * 59 + "…"


def test_a_head_has_its_own_rows_and_the_files_hold_them(tmp_path):
    table = pd.DataFrame(
        {
            "layer": [0, 0, 1, 1],
            "head": [0, 1, 0, 1],
            "task": ["</script>"] * 4,
            "effect": [0.1, -0.25, 0.3, NAN],
        }
    )
    fact = HeadFacts("ablate", 1, "Effects", "How to read.", lambda _: table)
    model = ModelHeads("tiny", [], 2, 2, [(fact, table)], [])
    assert facts_of_layer(model, 0)[1]["rows"] == [[["</script>", "-0.250"]]]
    assert facts_of_layer(model, 1)[1]["rows"] == [[["</script>", ""]]]
    write_heads(tmp_path / "heads", [model], ["written"], {model.name: "its public name"})
    text = (tmp_path / "heads/facts-0-1.js").read_text(encoding="utf-8")
    assert "</script>" not in text
    inside = text.removeprefix("headsData(").removesuffix(");\n")
    name, content = json.loads(f"[{inside}]")
    assert name == "facts-0-1"
    assert content[0]["rows"] == [[["</script>", "0.300"]]]
    index = (tmp_path / "heads/index.js").read_text(encoding="utf-8")
    assert '"name":"its public name"' in index
    assert '"numbers":[false,true]' in index
    assert '"generated":["written"]' in index
