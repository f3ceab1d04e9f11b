"""How long the page takes to answer an input, of 12 x 12 heads of 64 neurons; printed."""

import pytest

from stages.view.view import write_view
from tests.checkpoints import text_of
from tests.view.chromium import CLICK, POINT, Browser, delays
from tests.view.conftest import LONG_POSITIONS

SLOW = 1000  # milliseconds: a machine that does other things must not fail the tests


@pytest.mark.parametrize("tokens", [5, LONG_POSITIONS])
def test_input_is_answered_at_once(browser: Browser, twelve_by_twelve, tokens, tmp_path, capsys):
    """Bounded so that only what hangs fails."""
    page = tmp_path / "page.html"
    write_view(text_of(tokens), checkpoint=str(twelve_by_twelve), output=page)
    units = [f'.from [data-unit="{unit}"]' for unit in range(0, tokens, max(1, tokens // 8))]
    found: dict[str, float] = {}
    browser.open(page)
    found["page until drawn"] = browser.ask("performance.now()")
    heads = [f'[data-head="{layer}-3"]' for layer in range(0, 12, 3)]
    found["all heads: point"] = delays(browser, heads, POINT)
    found["all heads: open one"] = delays(browser, ['[data-head="5-3"]'], CLICK)
    found["lines: point"] = delays(browser, units, POINT)
    found["lines: hold"] = delays(browser, units[:3], CLICK)
    browser.open(page, "#view=head&heads=" + "%20".join(map(str, range(12))))
    found["lines of 12 heads: point"] = delays(browser, units, POINT)
    leave = "one.dispatchEvent(new PointerEvent('pointerleave'));"
    found["lines of 12 heads: leave"] = delays(browser, [".lines"], leave)
    found["to the map"] = delays(browser, ["#tab-map"], CLICK)
    move = (
        "const box = one.getBoundingClientRect(); one.dispatchEvent(new PointerEvent('pointermove',"
        "{clientX: box.left + box.width / 2, clientY: box.top + box.height / 2}));"
    )
    found["map: point"] = delays(browser, [".panel canvas"] * 3, move)
    found["to neurons"] = delays(browser, ["#tab-neuron"], CLICK)
    down = "one.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown'}));"
    found["neurons: next token"] = delays(browser, [".panel canvas"] * 3, down)
    found["to all heads"] = delays(browser, ["#tab-model"], CLICK)
    with capsys.disabled():
        print(f"\nmilliseconds until an input is drawn, 12 x 12 heads, {tokens} tokens:")
        print("  " + ", ".join(f"{name} {time:.0f}" for name, time in found.items()))
    slowest = {name: time for name, time in found.items() if "page" not in name}
    assert max(slowest.values()) < SLOW, slowest
    assert found["page until drawn"] < 3 * SLOW
