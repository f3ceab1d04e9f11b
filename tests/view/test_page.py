"""The page in a browser: what clicks, keys and touches show is what the model's numbers say."""

import re

import numpy as np
import pytest

from stages.view.attention import attention_of, prediction_of
from stages.view.models import MODEL, load_model
from stages.view.texts import encode_texts
from tests.view.chromium import Browser
from tests.view.conftest import FIRST, SECOND

LAYER, HEAD = 2, 7
VIEWS = ("model", "head", "map", "neuron", "effect")
MINUS = "\u2212"


@pytest.fixture(scope="module")
def truth(classifiers) -> tuple[list[str], list, list]:
    """Tokens, attention and predictions of the two models of the page, by the models themselves."""
    attention, predictions = [], []
    for seed in (0, 1):
        shown = load_model(str(classifiers("minilm", seed=seed)), MODEL)
        gated = shown.gated
        encoded, tokens = encode_texts(
            shown.tokenizer, gated.model.config, FIRST, SECOND, shown.name
        )
        (batch,) = encoded.batches(1)
        chosen = (range(gated.layers), range(gated.heads))
        attention.append(attention_of(gated, batch, *chosen))
        predictions.append(prediction_of(gated, batch, *chosen))
    return tokens.pieces, attention, predictions


def at(view: str, **others: object) -> str:
    """The address of a view of one head."""
    parts = {"view": view, "layer": LAYER, "heads": HEAD} | others
    return "#" + "&".join(f"{key}={value}" for key, value in parts.items())


def first_percent(text: str) -> float:
    return float(re.search(r"([\d.]+)%", text)[1])


def from_token(unit: int) -> str:
    return f'.panel:first-child .from [data-unit="{unit}"]'


def test_the_numbers_in_the_browser_are_the_models(browser: Browser, pair_page, truth):
    pieces, attention, _ = truth
    browser.open(pair_page)
    assert browser.complaints == []
    for model in (0, 1):
        found = browser.ask(f"[...mapOf({model}, {LAYER}, {HEAD}, false)]")
        expected = attention[model].maps[LAYER, HEAD]
        np.testing.assert_allclose(np.reshape(found, expected.shape), expected, atol=2e-4)
    difference = browser.ask(f"[...shownMap(DIFFERENCE, {LAYER}, {HEAD}, false)]")
    expected = attention[0].maps[LAYER, HEAD] - attention[1].maps[LAYER, HEAD]
    np.testing.assert_allclose(np.reshape(difference, expected.shape), expected, atol=4e-4)
    scores = browser.ask(
        f"(() => {{ const s = scoresOf(1, {LAYER}, {HEAD}, 3);"
        "return [[...s.dots], [...s.shares], [...s.products]]; })()"
    )
    queries, keys = attention[1].queries[LAYER, HEAD], attention[1].keys[LAYER, HEAD]
    np.testing.assert_allclose(scores[0], keys @ queries[3], atol=5e-3)
    np.testing.assert_allclose(scores[1], attention[1].maps[LAYER, HEAD, 3], atol=1e-3)
    np.testing.assert_allclose(
        np.reshape(scores[2], keys.shape), keys * queries[3], rtol=0.01, atol=5e-3
    )
    # Of words: "likes" has pieces of which the mean attends.
    words = np.reshape(browser.ask(f"[...mapOf(0, {LAYER}, {HEAD}, true)]"), (-1,))
    size = int(np.sqrt(len(words)))
    assert size < len(pieces)
    np.testing.assert_allclose(words.reshape(size, size).sum(1), 1, atol=1e-2)


def test_pointing_at_a_token_shows_its_lines(browser: Browser, pair_page, truth):
    pieces, attention, _ = truth
    browser.open(pair_page, at("head"))
    canvas = "document.querySelector('.panel canvas')"
    all_lines = browser.ask(f"{canvas}.toDataURL()")
    browser.hover(from_token(3))
    said = browser.text("#reading")
    row = attention[0].maps[LAYER, HEAD, 3]
    assert said.startswith(f"“{pieces[3]}” in head {LAYER}-{HEAD} of ")
    assert f"attends to “{pieces[row.argmax()]}”" in said
    assert abs(first_percent(said) - 100 * row.max()) < 0.1
    assert browser.ask(f"{canvas}.toDataURL()") != all_lines
    # What attends to a token.
    browser.hover('.panel:first-child .to [data-unit="2"]')
    column = attention[0].maps[LAYER, HEAD, :, 2]
    said = browser.text("#reading")
    assert f"is attended to by “{pieces[column.argmax()]}”" in said
    assert abs(first_percent(said) - 100 * column.max()) < 0.1
    browser.hover("h1")
    assert browser.ask(f"{canvas}.toDataURL()") == all_lines
    # A click holds the token, another lets it go.
    browser.click(from_token(3))
    browser.hover("h1")
    assert browser.ask(f"{canvas}.toDataURL()") != all_lines
    assert "token=3" in browser.ask("location.hash")
    browser.click(from_token(3))
    assert "token" not in browser.ask("location.hash")


def test_keys_alone_do_all(browser: Browser, pair_page, truth):
    pieces, attention, _ = truth
    browser.open(pair_page)
    browser.press("Tab", "Tab")  # past the link to the view: the tab of all heads
    assert browser.ask("document.activeElement.id") == "tab-model"
    browser.press("ArrowRight", "Enter")
    assert browser.ask("state.view") == "head"
    assert browser.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.ask("document.querySelector('.from [data-unit]').focus()")
    browser.press("ArrowDown", "ArrowDown")
    assert browser.text("#reading").startswith(f"“{pieces[2]}” in head 0-0")
    browser.press("Enter")
    assert browser.ask("document.activeElement.getAttribute('aria-pressed')") == "true"
    browser.press("ArrowRight")
    assert browser.ask("document.activeElement.closest('.to') !== null")
    assert "is attended to by" in browser.text("#reading")
    browser.press("Escape", "End")
    assert browser.ask("Number(document.activeElement.dataset.unit)") == len(pieces) - 1
    assert browser.ask("state.token") is None
    # All heads: arrows move from head to head, Enter opens one.
    browser.open(pair_page, at("model"))
    browser.ask("document.querySelector('.grid button[tabindex=\"0\"]').focus()")
    browser.press("ArrowRight", "ArrowDown")
    assert browser.text("#reading").startswith(f"Head {LAYER + 1}-{HEAD + 1}: ")
    browser.press("Enter")
    assert browser.ask("[state.view, state.layer, ...state.heads]") == ["head", LAYER + 1, HEAD + 1]
    # The map: arrows move from cell to cell.
    browser.open(pair_page, at("map"))
    browser.ask("document.querySelector('.panel canvas').focus()")
    browser.press("ArrowDown", "ArrowRight")
    said = browser.text("#reading")
    assert f"“{pieces[1]}” attends to “{pieces[1]}”" in said
    assert abs(first_percent(said) - 100 * attention[0].maps[LAYER, HEAD, 1, 1]) < 0.1
    # Neurons: up and down choose the token that attends.
    browser.open(pair_page, at("neuron", token=1))
    browser.ask("document.querySelector('.panel canvas').focus()")
    browser.press("ArrowDown")
    assert browser.ask("state.token") == 2
    assert browser.ask("document.activeElement.tagName") == "CANVAS"
    assert browser.text("#reading").startswith(f"“{pieces[2]}” in head {LAYER}-{HEAD}")


def test_touching_shows_and_holds(browser: Browser, pair_page, truth):
    pieces, *_ = truth
    browser.open(pair_page, at("head"))
    browser.size(400, 800, touch=True)
    browser.frame()
    browser.tap(from_token(4))
    assert browser.ask("state.token") == 4
    assert browser.text("#reading").startswith(f"“{pieces[4]}” in head {LAYER}-{HEAD}")
    browser.open(pair_page, at("model"))
    browser.size(400, 800, touch=True)
    browser.frame()
    browser.tap('[data-head="1-2"]')
    assert browser.ask("[state.view, state.layer, ...state.heads]") == ["head", 1, 2]
    browser.open(pair_page, at("map"))
    browser.size(400, 800, touch=True)
    browser.frame()
    browser.tap(".panel:first-child canvas")
    assert "attends to" in browser.text("#reading")


def test_several_heads_at_once_in_their_colours(browser: Browser, pair_page):
    browser.open(pair_page, at("head"))
    browser.click('.heads button[aria-label="head 3"]')
    assert browser.ask("state.heads") == [3, HEAD]
    # The button that was clicked is made anew, and keeps the focus.
    assert browser.ask("document.activeElement.getAttribute('aria-label')") == "head 3"
    browser.hover(from_token(1))
    assert f"in head {LAYER}-3" in browser.text("#reading")
    assert f"in head {LAYER}-{HEAD}" in browser.text("#reading")
    browser.click('.heads button[aria-label="head 3"]')
    browser.click(f'.heads button[aria-label="head {HEAD}"]')
    assert browser.ask("state.heads") == [HEAD]  # one at least


def test_words_in_place_of_pieces(browser: Browser, pair_page, truth):
    browser.open(pair_page, at("head", token=1))
    before = browser.ask("document.querySelectorAll('.panel:first-child .from button').length")
    browser.ask(
        "[...document.querySelectorAll('#controls button')]"
        ".find((one) => one.textContent === 'words').click()"
    )
    words = browser.ask(
        "[...document.querySelectorAll('.panel:first-child .from button')]"
        ".map((one) => one.textContent)"
    )
    assert words == ["[CLS]", *FIRST.split(), "[SEP]", *SECOND.split(), "[SEP]"]
    assert len(words) < before == len(truth[0])


def test_a_map_shows_both_models_and_their_difference(browser: Browser, pair_page, truth):
    pieces, attention, _ = truth
    browser.open(pair_page, at("map"))
    size, margin = browser.ask("[mapView.panels[2].size, mapView.panels[2].margin]")
    width, height = browser.ask(
        "(() => { const {width, height} = mapView.panels[2].canvas.getBoundingClientRect();"
        "return [width, height]; })()"
    )
    query, key = 4, 2
    offset = (
        margin + (key + 0.5) * size - width / 2,
        margin + (query + 0.5) * size - height / 2,
    )
    browser.hover(".panel:nth-child(3) canvas", by=offset)
    first, second = (100 * attention[model].maps[LAYER, HEAD, query, key] for model in (0, 1))
    said = browser.text("#reading")
    assert f"“{pieces[query]}” attends to “{pieces[key]}”" in said
    shares = [float(one) for one in re.findall(r"([\d.]+)% in", said)]
    np.testing.assert_allclose(shares, [first, second], atol=0.1)
    moved = re.search(rf"difference ([{MINUS}+]?)([\d.]+) points", said)
    signs = {MINUS: -1, "+": 1, "": 0}
    assert abs(signs[moved[1]] * float(moved[2]) - (first - second)) < 0.1


def test_a_head_off_is_read_and_opened(browser: Browser, pair_page, truth):
    *_, predictions = truth
    browser.open(pair_page, at("effect"))
    whole = predictions[0].whole
    chosen = int(whole.argmax())
    browser.hover(f'.panel:first-child [data-head="{LAYER}-{HEAD}"]')
    said = browser.text("#reading")
    found = [float(one) for one in re.findall(r"([\d.]+)%", said)]
    after = predictions[0].without["zero"][LAYER, HEAD, chosen]
    np.testing.assert_allclose(found, [100 * whole[chosen], 100 * after], atol=0.006)
    browser.ask(
        "[...document.querySelectorAll('#controls button')]"
        ".find((one) => one.textContent === 'attends to all alike').click()"
    )
    browser.hover(f'.panel:first-child [data-head="{LAYER}-{HEAD}"]')
    after = predictions[0].without["uniform"][LAYER, HEAD, chosen]
    read = re.search(r" to ([\d.]+)%", browser.text("#reading"))[1]
    assert abs(float(read) - 100 * after) < 0.006
    browser.click(f'.panel:first-child [data-head="{LAYER}-{HEAD}"]')
    assert browser.ask("[state.view, state.layer, ...state.heads]") == ["head", LAYER, HEAD]
    # The list names the head whose change is largest.
    changes = np.abs(predictions[0].without["zero"][..., chosen] - whole[chosen])
    layer, head = np.unravel_index(changes.argmax(), changes.shape)
    browser.open(pair_page, at("effect"))
    assert browser.text(".strongest li").startswith(f"Without head {layer}-{head} ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_fits_a_narrow_window_and_has_names(browser: Browser, pair_page, scheme):
    browser.scheme(scheme)
    for view in VIEWS:
        browser.open(pair_page, at(view), width=400)
        assert browser.complaints == [], view
        assert browser.ask("document.documentElement.scrollWidth") <= 400, view
        assert (
            browser.ask(
                "[...document.querySelectorAll('button, select, canvas[tabindex]')].filter((one) =>"
                "!(one.textContent.trim() || one.getAttribute('aria-label'))).length"
            )
            == 0
        ), view
        # A page that draws nothing would be of one colour.
        assert browser.ask(
            "[...document.querySelectorAll('#stage canvas')].every((canvas) => {"
            "const {width, height} = canvas;"
            "const {data} = canvas.getContext('2d').getImageData(0, 0, width, height);"
            "return new Set(new Uint32Array(data.buffer)).size > 2; })"
        ), view
        assert "6 layers x 12 heads" in browser.text("#sentence")
    paper = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]
    browser.scheme("light")
