"""Prose of pages as HTML."""

from stages.report.prose import (
    argument_in_words,
    names_a_layer,
    place_in_source,
    plain,
    with_links,
)

PAGES = {"K2-weighted": "classifier", "K2": "patterns", "C5-nsubj": "syntax"}


def test_names_in_backticks_become_code_and_everything_else_is_escaped():
    assert with_links("set `run.tasks` <b>", {}, "") == "set <code>run.tasks</code> &lt;b&gt;"
    assert with_links("`<script>`", {}, "") == "<code>&lt;script&gt;</code>"
    assert with_links("one ` alone", {}, "") == "one ` alone"
    assert plain("set `run.tasks`") == "set run.tasks"


def test_names_outside_of_backticks_are_said_in_words():
    said = "by macro_f1 of `random_weights` and random_weights"
    assert with_links(said, {}, "") == (
        "by macro F1 of <code>random_weights</code> and random weights"
    )
    assert plain(said) == "by macro F1 of random_weights and random weights"
    assert plain("'heads_off' of my_task") == "'heads off' of my_task"


def test_settings_are_said_in_the_words_of_their_keys():
    for key in ("`draw_examples`", "matching.draw_examples", "`matching.draw_examples`"):
        assert plain(f"(setting {key}) on") == "(setting 'draw examples') on", key
    assert plain("as the setting pairs.candidates says.") == "as the setting 'candidates' says."
    assert plain("some (`draw_examples`); all (`pairs.candidates`)") == (
        "some (setting 'draw examples'); all (setting 'candidates')"
    )
    for key in ("patterns.special in params.yaml", "`patterns.special` in `params.yaml`"):
        assert plain(f"the limits are {key}.") == "the limits are the setting 'special'."
    assert plain("no setting was chosen, setting each to zero") == (
        "no setting was chosen, setting each to zero"
    )
    assert with_links("name it in `run.tasks`", {}, "") == "name it in <code>run.tasks</code>"


def test_claims_are_linked_by_their_whole_id():
    link = '<a href="../pages/classifier.html#K2-weighted">K2-weighted</a>'
    assert with_links("As K2-weighted.", PAGES, "../") == f"As {link}."
    for other in ("K2-weighted-more", "XK2-weighted", "K2-joint"):
        assert "<a" not in with_links(other, PAGES, ""), other
    assert "<a" not in with_links("`K2-weighted`", PAGES, "")


def test_arguments_of_measures_are_read_as_words():
    assert argument_in_words({"first": 6, "last": 9}) == "6 to 9"
    assert argument_in_words({"first": 3, "last": 3}) == "3"
    assert argument_in_words(["obj", "case"]) == "obj, case"
    assert argument_in_words({"a": [1, 2], "b": None}) == "a 1, 2, b none"
    assert [argument_in_words(one) for one in (True, False, 0, 0.5)] == ["yes", "no", "0", "0.5"]


def test_a_place_in_a_source_is_called_a_section_where_it_is_one():
    assert place_in_source("4.3, Table 2") == "section 4.3, Table 2"
    assert place_in_source("table of attacks") == "table of attacks"
    assert place_in_source("of this project") == "a question of this project"


def test_only_layers_and_heads_with_their_number_need_to_be_counted_alike():
    assert names_a_layer("head 8-10 finds 86.8%") and names_a_layer("(in layers 2, 4 and 7)")
    assert not names_a_layer("normalised per layer; 4 heads")
