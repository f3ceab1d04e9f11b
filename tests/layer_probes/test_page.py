"""What the page says of figures by hand."""

import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.answers import NotMeasured
from stages.layer_probes.page import PAGE
from tests.layer_probes.rows import probe_rows, write_probes

LEVELS = {"embeddings": 0.1, "words": 0.2, "chance": 0.1}


def test_sentences_follow_from_the_figures(measures):
    own = {"probe": "subject_noun", "layers": [0.4, 0.8, 0.6], **LEVELS}
    write_probes(
        measures,
        probe_rows(**own, part="compound", first=0.3),
        probe_rows(**own, part="possessive", first=0.9),
        probe_rows(**own, part="test", first=0.8),
        probe_rows(**own | {"layers": [1.0] * 3}, part="test", encoder=RANDOM_WEIGHTS, first=0.8),
        probe_rows("nth_token", "test", [0.9, 0.9, 0.4], position=4, **LEVELS),
    )
    structure, positions, table = PAGE.sections(measures)
    finding = structure.items[0].finding
    assert "Subject noun: compound: best in layer 1 (80%), above the first one (30%)." in finding
    assert "possessor: best in layer 1 (80%), below the first one (90%)." in finding
    assert "learnt on: best in layer 1 (80%), not told apart from the first one" in finding
    finding = positions.items[0].finding
    assert finding.endswith("Word 4: best in layers 0 and 1 alike (90%), 40% in the highest.")
    assert len(table.items[0].frame) == 4 * 7 + 6
    assert structure.items[0].title != positions.items[0].title


def test_the_first_one_and_any_word_have_one_colour_on_the_whole_page(measures):
    write_probes(
        measures,
        probe_rows("main_auxiliary", "test", [0.5, 0.7], **LEVELS, first=1.0),
        probe_rows("nth_token", "test", [0.5, 0.7], position=4, **LEVELS),
    )
    scales = []
    for section in PAGE.sections(measures)[:2]:
        drawn = section.items[0].drawn["spec"]["layer"][1]
        scale = drawn["encoding"]["color"]["scale"]
        scales.append(dict(zip(scale["domain"], scale["range"], strict=True)))
    structure, positions = scales
    assert structure.keys() - positions.keys() == {"the first one"}
    assert {name: structure[name] for name in positions} == positions


def test_a_probe_that_is_right_everywhere_is_best_nowhere(measures):
    rows = probe_rows("main_auxiliary", "test", [1.0] * 3, **LEVELS, first=1.0)
    write_probes(measures, rows)
    finding = PAGE.sections(measures)[0].items[0].finding
    assert "alike in every layer (100%), not told apart from the first one (100%)." in finding


def test_a_level_is_drawn_across_all_layers_once(measures):
    write_probes(
        measures,
        probe_rows("main_auxiliary", "test", [0.5, 0.7], **LEVELS, first=1.0),
        probe_rows("main_auxiliary", "test", [0.5, 0.5], encoder=RANDOM_WEIGHTS, **LEVELS),
    )
    figure = PAGE.sections(measures)[0].items[0]
    drawn = figure.chart.data.groupby("whose")["place"].agg(list).to_dict()
    ends = [-1, 1]
    assert drawn == {
        "untuned": [0, 1, -1],
        RANDOM_WEIGHTS: [0, 1, -1],
        "words alone": ends,
        "the first one": ends,
        "any word": ends,
    }


def test_in_short_is_of_structures_that_were_not_trained_on_beside_random_weights(measures):
    own = {"probe": "subject_noun", "first": 0.3, **LEVELS}
    control = {"encoder": RANDOM_WEIGHTS, **own}
    position = {"probe": "nth_token", "part": "test", **LEVELS}
    write_probes(
        measures,
        probe_rows(part="test", layers=[1.0, 1.0], **own),
        probe_rows(part="compound", layers=[0.4, 0.8], **own),
        probe_rows(part="compound", layers=[0.2, 0.35], **control),
        probe_rows("main_auxiliary", "test", [0.5, 0.7], **LEVELS, first=0.9),
        probe_rows(layers=[0.9, 0.5], position=2, **position),
        probe_rows(layers=[0.7, 0.3], position=3, **position),
        probe_rows(layers=[0.1, 0.2], position=2, encoder=RANDOM_WEIGHTS, **position),
    )
    write_probes(measures, probe_rows(part="test", layers=[0.1, 0.1], **own), name="zweites")
    noun, auxiliary, words = (said.removeprefix("written: ") for said in PAGE.in_short(measures))
    assert noun.lower().endswith(
        "subject noun: compound: best in layer 1 (80%), above the first one (30%); with random "
        "weights at most 35%."
    )
    assert auxiliary.endswith(
        "best in layer 1 (70%), below the first one (90%); random weights were not measured."
    )
    assert words == (
        "The n-th word of a sentence is found, mean over n, highest in layer 0 (80%) and lowest in "
        "layer 1 (40%); with random weights 10% to 20%."
    )


def test_without_measures_there_is_no_page(measures):
    with pytest.raises(NotMeasured):
        PAGE.sections(measures)
