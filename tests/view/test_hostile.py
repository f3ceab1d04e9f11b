"""Texts, classes and addresses that nobody wishes for, in the browser."""

from stages.view.view import write_view
from tests.view.chromium import Browser
from tests.view.conftest import FIRST

RIGHT_TO_LEFT = "שלום עולם مرحبا"
HOSTILE = "</script><script>document.title='x'</script><!--data-->"


def test_hostile_text_and_text_from_right_to_left_are_shown_as_they_are(
    browser: Browser, twelve_by_twelve, tmp_path
):
    page = tmp_path / "page.html"
    write_view(HOSTILE, RIGHT_TO_LEFT, checkpoint=str(twelve_by_twelve), layers="3", output=page)
    for view in ("head", "map", "neuron", "model"):
        browser.open(page, f"#view={view}&layer=3&words=1")
        assert browser.complaints == []
        assert browser.ask("document.title") != "x"
        assert browser.ask("document.querySelectorAll('script').length") == 2
        assert HOSTILE in browser.text("#sentence")
    browser.open(page, "#view=head&layer=3&words=1")
    words = browser.ask("[...document.querySelectorAll('.from button')].map((b) => b.textContent)")
    assert [*RIGHT_TO_LEFT.split(), "[SEP]"] == words[-4:]
    assert "layers 3 alone" in browser.text("#rounding")
    assert "does not know" in browser.text("#rounding")


def test_a_hostile_class_is_text(browser: Browser, classifiers, tmp_path):
    page, label = tmp_path / "page.html", "<img src=x onerror=\"document.title='x'\">"
    model = classifiers("minilm", (label, label.upper(), "</script>"))
    write_view(FIRST, model=str(model), output=page)
    browser.open(page, "#view=effect")
    assert browser.complaints == []
    assert browser.ask("document.images.length") == 0
    assert label in browser.text("#prediction")
    whole = browser.ask("data.models[0].prediction.whole")
    assert abs(sum(whole) - 1) < 1e-5


def test_an_address_by_hand_is_taken_as_far_as_it_fits(browser: Browser, pair_page):
    browser.open(pair_page, "#view=nothing&layer=99&heads=4 77&token=1000&model=9&pair=a")
    assert browser.complaints == []
    assert browser.ask("[state.view, state.layer, state.heads, state.token, state.which]") == [
        "model",
        0,
        [4],
        None,
        0,
    ]
