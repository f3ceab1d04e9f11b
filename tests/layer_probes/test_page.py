"""The figures of the page, of accuracies by hand."""

import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.answers import NotMeasured
from stages.layer_probes.page import PAGE, probe_lines
from tests.layer_probes.rows import probe_rows, write_probes

LEVELS = {"embeddings": 0.1, "words": 0.2, "chance": 0.1}


def test_sentences_are_of_the_probes_alone_and_the_table_has_every_row(measures):
    noun = {"probe": "subject_noun", "layers": [0.4, 0.8, 0.6], **LEVELS}
    write_probes(
        measures,
        probe_rows(**noun, part="compound", first=0.9),
        probe_rows(**noun | {"layers": [0.3] * 3}, part="compound", arm=RANDOM_WEIGHTS, first=0.9),
        probe_rows("nth_token", "test", [0.9, 0.8, 0.4], position=4, **LEVELS),
    )
    structure, positions, table = PAGE.sections(measures)
    assert len(structure.items) == 1  # nobody asked for the auxiliary
    assert structure.items[0].finding == (
        "subject noun: compound: highest in layer 1 (80%) and lowest in layer -1 (10%); "
        "random weights: 10% to 30%."
    )
    assert positions.items[0].finding == (
        "word 4: highest in layer 0 (90%) and lowest in layer -1 (10%)."
    )
    assert len(table.items[0].frame) == 2 * 7 + 6


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


def test_a_level_is_drawn_across_all_layers_once(measures):
    write_probes(
        measures,
        probe_rows("main_auxiliary", "test", [0.5, 0.7], **LEVELS, first=1.0),
        probe_rows("main_auxiliary", "test", [0.5, 0.5], arm=RANDOM_WEIGHTS, **LEVELS),
        probe_rows("nth_token", "test", [0.5, 0.7, 0.9], position=4, **LEVELS),  # a decoy
    )
    drawn = probe_lines(measures, "main_auxiliary").groupby("line")["layer"].agg(list).to_dict()
    ends = [-1, 1]
    assert drawn == {
        "untuned": [0, 1, -1],
        RANDOM_WEIGHTS: [0, 1, -1],
        "words alone": ends,
        "the first one": ends,
        "any word": ends,
    }


def test_without_measures_there_is_no_page(measures):
    with pytest.raises(NotMeasured):
        PAGE.sections(measures)
