"""What is measured of pages: the wait, what counts as the report, and texts of stated length."""

from pathlib import Path

import pytest

from benchmarks import pages
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.stage.files import InputError
from tests.browser.test_report import CHROMIUM
from tests.checkpoints import text_of, write_shaped

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on PATH")
WAITS = 700  # milliseconds until the page says that it is no longer busy
SLOW = f"""<!doctype html><title>slow</title><body aria-busy="true"><p>text</p><script>
setTimeout(() => document.body.setAttribute("aria-busy", "false"), {WAITS});</script></body>"""


def test_sizes_add_up_what_the_stage_draws_and_leave_the_rest_beside(tmp_path):
    for name, size in {
        "index.html": 1000,
        "figures/a.svg": 5000,
        "figures/deep/b.csv": 500,
        "benchmarks/README.md": 90_000,
        "pictures/a.png": 80_000,
        "comparison.html": 70_000,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * size)
    table = pages.sizes(tmp_path).set_index("what")
    assert table.index.tolist() == [
        "size: the report",
        "size: benchmarks (beside it)",
        "size: pictures (beside it)",
        "size: comparison.html (beside it)",
        "size: figures",
        "size: index.html",
    ]
    assert table["value"].tolist() == pytest.approx([0.0065, 0.09, 0.08, 0.07, 0.0055, 0.001])
    assert table["bar"].dropna().to_dict() == {"size: the report": 15}
    assert set(table["unit"]) == {"MB"}


@needs_browser
def test_a_page_is_waited_for_until_it_is_no_longer_busy(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>at once</title>text")
    (tmp_path / "pages/slow.html").write_text(SLOW)
    with pages._browser() as browser:
        table = pages.loads(browser, tmp_path, rounds=2).set_index("what")
    assert sorted(table.index) == ["until usable: index", "until usable: slow"]
    slow = table.loc["until usable: slow"]
    assert WAITS / 1000 <= slow["value"] <= slow["largest"]
    # Both began alike, and one of them waited; machines that do other things are slow with both.
    assert table.index[0] == "until usable: slow"


def test_without_a_report_the_mend_is_said(tmp_path):
    with pytest.raises(InputError, match="index.html: no such file; `dvc repro`"):
        pages.loads(None, Path(tmp_path), rounds=1)


@pytest.mark.parametrize("tokens", pages.TOKENS)
def test_texts_of_the_viewer_have_the_stated_number_of_tokens(tokens, tmp_path):
    tokenizer = load_tokenizer(
        write_shaped(tmp_path, layers=1, heads=2, hidden=8, positions=tokens)
    )
    ids = tokenizer(text_of(tokens))["input_ids"]
    assert len(ids) == tokens
    assert tokenizer.unk_token_id not in ids
