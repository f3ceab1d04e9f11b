"""A page of made numbers: sums beyond 1, weights that are 1, tiny effects, and addresses."""

from pathlib import Path

import numpy as np
import pytest

from stages.core.viewer.rounding import shares_as_text, signed_as_text
from stages.view.document import document, page_data
from stages.view.texts import Tokens
from tests.view.chromium import Browser

TOKENS, HEADS = 64, 32  # more than 2,000 queries; two pieces a word, half of them in each text
TO_ITSELF, TO_ITS_WORD, TO_OTHERS = range(3)  # layers
FEW_BACK = 5  # tokens of the first text that each of the second attends to, in TO_OTHERS
CHANGE = 3e-6  # of a probability, by the head of most effect
MINUS = "\u2212"
LINES = (
    "state.heads.reduce((sum, head) => sum + headView.allLines("
    "mapOf(0, state.layer, head, usesWords()), headView.leastDrawn(0)).flat().length, 0)"
)
KEPT = "[state.side, state.which, state.pair, state.mode, state.token, state.heads, state.layer]"


def made_maps() -> list[np.ndarray]:
    """Query by key in each layer, the same in every head."""
    own = np.eye(TOKENS)
    word = np.kron(np.eye(TOKENS // 2), np.full((2, 2), 0.5))  # half of 4095 is rounded up, twice
    others, half = np.zeros((TOKENS, TOKENS)), TOKENS // 2
    others[:half, :half] = 1 / half
    others[half:, :FEW_BACK] = 0.02
    others[half:, half] = 1 - 0.02 * FEW_BACK
    return [own, word, others]


def made_model(name: str) -> dict:
    maps = made_maps()
    vectors, steps = signed_as_text(np.ones((HEADS, TOKENS, 1)))
    without = np.full((len(maps), HEADS, 2), 0.5)
    without[1, 2] += [CHANGE, -CHANGE]
    return {
        "name": name,
        "type": "bert",
        "layers": len(maps),
        "heads": HEADS,
        "parameters": 1,
        "size": 1,
        "maps": [shares_as_text(np.stack([own] * HEADS)) for own in maps],
        "queries": [vectors] * len(maps),
        "queryStep": [steps] * len(maps),
        "keys": [vectors] * len(maps),
        "keyStep": [steps] * len(maps),
        "classes": ["no", "yes"],
        "prediction": {
            "whole": [0.5, 0.5],
            "without": {mode: without.round(6).tolist() for mode in ("zero", "uniform")},
        },
    }


@pytest.fixture(scope="module")
def made_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokens = Tokens(
        pieces=[f"p{place}" for place in range(TOKENS)],
        groups=[place // 2 for place in range(TOKENS)],
        words=[f"w{place}" for place in range(TOKENS // 2)],
        segments=[2 * place // TOKENS for place in range(TOKENS)],
        unknown=0,
    )
    models = [made_model("one"), made_model("two")]
    data = page_data(["first", "second"], tokens, list(range(3)), list(range(HEADS)), models)
    page = tmp_path_factory.mktemp("pages") / "made.html"
    page.write_text(document(data), encoding="utf-8")
    return page


def test_shares_of_words_are_at_most_1_and_drawn(browser: Browser, made_page):
    browser.open(made_page, f"#view=map&layer={TO_ITS_WORD}&words=1")
    assert browser.complaints == []
    assert browser.ask(f"Math.max(...mapOf(0, {TO_ITS_WORD}, 0, true))") == 1
    drawn = f"picture(mapOf(0, {TO_ITS_WORD}, 0, true), {TOKENS // 2}, 'share')"
    pixel = browser.ask(f"[...{drawn}.getContext('2d').getImageData(0, 0, 1, 1).data]")
    assert pixel == [8, 60, 130, 255]


def test_more_weights_of_1_than_lines_are_drawn(browser: Browser, made_page):
    heads = "+".join(map(str, range(HEADS)))
    browser.open(made_page, f"#view=head&layer={TO_ITSELF}&heads={heads}")
    assert browser.ask(LINES) == HEADS * TOKENS


def test_lines_of_a_chosen_pair_of_texts_are_counted_alone(browser: Browser, made_page):
    browser.open(made_page, f"#view=head&layer={TO_OTHERS}&heads=0+1+2+3+4+5+6+7&pair=1-0")
    assert browser.ask(LINES) == 8 * (TOKENS // 2) * FEW_BACK


def test_captions_say_how_strength_and_colours_grow(browser: Browser, made_page):
    browser.open(made_page, "#view=head")
    assert "grow with the square root of the weight" in browser.text("#caption")
    browser.open(made_page, "#view=neuron")
    assert "strongest colour is the largest value of that panel" in browser.text("#caption")


def test_a_tiny_change_has_its_digits_everywhere(browser: Browser, made_page):
    browser.open(made_page, "#view=effect")
    assert browser.text(".legend") == f"{MINUS}0.0003 points+0.0003 points"
    expected = "Without head 1-2 “no” goes from 50.0000% to 50.0003% (+0.0003 points)."
    assert browser.text(".strongest li").startswith(expected)
    browser.hover('[data-head="1-2"]')
    assert browser.text("#reading").startswith(expected)


def test_an_address_leaves_nothing_of_the_last(browser: Browser, made_page):
    last = "#view=head&layer=1&heads=2&side=to&model=2&pair=0-1&off=uniform&token=3"
    browser.open(made_page, last)
    assert browser.ask(KEPT) == ["to", 2, "0-1", "uniform", 3, [2], 1]
    browser.ask(
        "new Promise((done) => { addEventListener('hashchange', done, {once: true});"
        "location.hash = 'view=map'; }).then(() => 0)"
    )
    assert browser.ask(KEPT) == ["from", 0, "all", "zero", None, [0], 0]
    browser.open(made_page, "#view=constructor")
    assert browser.complaints == []
    assert browser.ask("state.view") == "model"
