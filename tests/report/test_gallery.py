"""The gallery shows every chosen map once, on its shelf, and leads to it on its head's page."""

from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from stages.core.verdicts.measures import Measures
from stages.report.gallery import Gallery, gallery_of
from stages.report.head_examples import Choice, examples_of, measured_in_words, why_chosen
from stages.report.head_pages import ModelHeads, write_heads
from tests.examples.planted import write_planted

LAYERS, HEADS, PLANTED = 4, 5, (2, 3)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measures")
    write_planted(folder, "relevance", LAYERS, HEADS, PLANTED, drawn=2)
    measures = Measures(
        folder / "work/measures", {"relevance": "accuracy"}, ["tuned"], {"relevance": [0]}
    )
    examples = examples_of(measures, {"relevance": ["unrelated", "close"]})
    return ModelHeads("tiny", [], LAYERS, HEADS, [], examples)


def test_each_chosen_map_stands_once_on_the_shelf_of_its_name(model):
    gallery = gallery_of([model])
    assert list(gallery.shelves) == ["pattern", "role"]
    by_title = {one.title: one.pictures for some in gallery.shelves.values() for one in some}
    clearest, median = by_title["diagonal"]
    assert (clearest.example.choice.which, median.example.choice.which) == ("clearest", "median")
    assert clearest.example.measured == "probability 90%, of 4 maps"
    assert clearest.example.heads == [PLANTED]
    assert clearest.arm == "tuned"
    assert "previous token" in by_title
    shown = [one.example.key for some in by_title.values() for one in some]
    assert sorted(shown) == sorted(one.key for one in model.examples if not one.drawn)
    assert [one.example.drawn for one in gallery.drawn] == [True, True]


def test_a_picture_leads_to_its_map_and_its_file_has_it(model, tmp_path):
    write_heads(tmp_path / "heads", [model], [], {})
    gallery = gallery_of([model])
    pictures = [one for some in gallery.shelves["role"] for one in some.pictures] + gallery.drawn
    for one in pictures:
        page, parts = one.address.split("#")
        found = {name: values[0] for name, values in parse_qs(parts).items()}
        assert page == "head.html"
        assert found["text"] == one.example.key
        assert (int(found["layer"]), int(found["head"])) == one.example.heads[0]
        assert found["view"] == ("model" if one.example.drawn else "map")
        assert f'"{one.example.key}":' in (tmp_path / f"heads/{one.file}.js").read_text("utf-8")


def test_the_model_is_named_where_there_are_several(model):
    assert {one.of for one in gallery_of([model]).drawn} == {""}
    both = gallery_of([model, replace(model, name="other")])
    assert [one.of for one in both.drawn] == ["tiny", "tiny", "other", "other"]
    assert both.drawn[-1].address.startswith("head.html#of=1&")


def test_it_says_how_much_there_is_to_see(model):
    gallery = gallery_of([model])
    chosen = sum(not one.drawn for one in model.examples)
    roles = len(gallery.shelves["role"])
    assert gallery.in_short == [
        f"{chosen} maps of 2 pattern classes and {roles} roles.",
        "2 texts drawn by chance, with the maps of all heads.",
    ]
    one = Gallery({}, gallery.drawn[:1])
    assert one.in_short == ["1 text drawn by chance, with the maps of all heads."]
    assert gallery_of([]).in_short == ["No maps were kept in this configuration."]


@pytest.mark.parametrize(
    ("choice", "why", "measured"),
    [
        (
            Choice("pattern", "block", "median", 0.974, 1),
            "the median of 1 block map, probability 97%",
            "probability 97%, of 1 map",
        ),
        (
            Choice("relation", "obj, dependent to head", "clearest", -0.031, 107),
            "the clearest of 107 texts in the head that follows most: "
            "the relation obj, dependent to head (strength -0.03)",
            "strength -0.03, of 107 texts",
        ),
    ],
)
def test_for_what_a_map_was_chosen(choice, why, measured):
    assert (why_chosen(choice), measured_in_words(choice)) == (why, measured)
