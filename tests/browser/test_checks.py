"""The checks themselves: they notice what is wrong with a page that was made to be wrong."""

import pytest

from tests.browser.checked import checked
from tests.browser.test_report import CHROMIUM

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on PATH")

WRONG = """<!doctype html><html lang="en"><head><style>
button:focus-visible { outline: 3px solid #0550ae; }
</style></head><body style="margin:0"><main>
<button></button><button style="all: unset">unset</button><button>sound</button>
<p style="color: #999">pale</p><p style="color: #666">dark enough</p>
<div style="background: #222"><p style="color: #333">dark on dark</p></div>
<div style="width: 700px">wide</div>
<div class="scroll" style="overflow: auto">
<table><tr><td style="min-width: 900px">x</td></tr></table></div>
</main></body></html>"""


def test_what_is_wrong_is_found_and_nothing_else(tmp_path):
    page = tmp_path / "wrong.html"
    page.write_text(WRONG, encoding="utf-8")
    found = checked(page, tmp_path / "profile", width=400)
    assert found["unnamed"] == ["<button></button>"]
    assert found["unfocused"] == ['button "unset"']
    assert [said.split(":")[0] for said in found["pale"]] == ['p "pale"', 'p "dark on dark"']
    assert found["wide"] == ['div "wide"']
    assert found["sideways"] == 300
