"""The report on synthetic measures: what is written, byte for byte, and what is left out."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import pandas as pd
import pytest

from stages.core.corpora.tables import CORPUS_SIZES
from stages.core.pages.gather import pages
from stages.core.tasks.tables import TASK_SIZES
from stages.core.verdicts.measures import open_measures
from stages.coreference import page as coreference
from stages.findings.command import app as findings
from stages.probes import page as probes
from stages.reading.attacks import CONTROLS, TO_PASSAGE
from stages.report.command import app as report
from stages.report.measured_pages import head_tables, heads_of_pages
from stages.report.overview import PREFIX
from stages.report.prose import plain
from stages.report.site import write_csv
from stages.report.stage import data_read, sizes, texts_read
from stages.syntax import page as syntax
from stages.syntax.tables import HEADS as HEADS_OF_SYNTAX
from tests.claims import write_table
from tests.reading.rows import AT_CUT, UNDER
from tests.synthetic_measures import HEADS, LAYERS, run_stage
from tests.synthetic_reading import QUESTIONS
from tools.pipeline import ROOT

ABLATED = "effect of ablation (uniform, points), relevance"  # a column of the table of all heads


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_rebuild_writes_the_same_bytes(synthetic_reports, tmp_path):
    again = shutil.copytree(synthetic_reports, tmp_path / "copy", symlinks=True)
    # Strings in sets have another order than the first time.
    changed = {"PYTHONHASHSEED": "2", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "stages", "report"]
    subprocess.run(command, cwd=again, env=os.environ | changed, check=True)
    assert digests(again / "reports") == digests(synthetic_reports / "reports")


def test_every_claim_stands_on_the_overview_with_its_verdict(synthetic_reports):
    findings = json.loads((synthetic_reports / "reports/findings.json").read_text())
    overview = (synthetic_reports / "reports/site/index.html").read_text()
    for name, finding in findings["claims"].items():
        verdict = finding["verdict"].replace(" ", "-")
        assert re.search(rf'#{name}">{name}<.*?class="verdict {verdict}"', overview, re.S)
    missing = re.findall(r'<details class="reason">(.*?)</details>', overview, re.S)
    of_reasons = [unescape(re.sub(r"<[^>]+>", "", part)) for part in missing]
    for name, claim in findings["not_shown"].items():
        (one,) = (part for part in of_reasons if re.search(rf"(?<![\w-]){name} ", part))
        assert plain(claim["reason"].removeprefix(PREFIX))[1:] in one


def test_pages_load_and_link_only_what_is_there(synthetic_reports):
    site = synthetic_reports / "reports/site"
    pages = [site / "index.html", *sorted((site / "pages").glob("*.html"))]
    assert len(pages) == 33
    papers = json.loads((synthetic_reports / "reports/findings.json").read_text())["papers"]
    published = {f'<a href="{url}"' for urls in papers.values() for url in urls}
    for page in pages:
        text = page.read_text()
        for link in published:  # followed by who wants to read them; nothing needs them
            text = text.replace(link, "<a")
        for target in re.findall(r'(?:src|href)="([^"]*)"', text):
            path, _, anchor = target.partition("#")
            if target == "data:,":
                continue
            assert not re.match(r"[a-z]+:|//", target), f"{page.name} needs {target}"
            goal = (page.parent / path).resolve() if path else page
            assert goal.is_file(), f"{page.name} links to {target}"
            assert goal.is_relative_to(site.resolve()), f"{page.name} leaves the site: {target}"
            if anchor and "=" not in anchor:  # else what the page of a head is to show
                assert f'id="{anchor}"' in goal.read_text(), f"{page.name} links to {target}"


def test_readers_of_questions_have_their_page_and_their_columns(synthetic_reports):
    site = synthetic_reports / "reports/site"
    page = (site / "pages/reading.html").read_text()
    # Intact at its cut 0.78, under it as tests/reading/rows.py has it: the difference by hand.
    costs = {attack: 100 * (AT_CUT - UNDER[attack]) for attack in CONTROLS}
    largest = max(costs, key=costs.get)
    assert f"{largest}, against intact (+{costs[largest]:.1f} points)" in page
    heads = pd.read_csv(site / "heads.csv")
    saved = heads[f"{TO_PASSAGE}: cost that ablation saves, {QUESTIONS}"]
    by_hand = 0.1 + 0.01 * heads["layer"] - 0.02 * heads["head"]
    assert saved.to_numpy() == pytest.approx(by_hand.to_numpy())
    overview = (site / "index.html").read_text()
    assert f"{QUESTIONS}, validation" in overview


def test_every_figure_is_an_svg_with_its_chart_in_the_page(synthetic_reports):
    site = synthetic_reports / "reports/site"
    named = re.findall(
        r'data-chart="([^"]+)"', "".join(path.read_text() for path in site.glob("pages/*.html"))
    )
    assert sorted(named) == sorted(path.stem for path in (site / "figures").glob("*.svg"))
    assert len(named) == len(set(named)) > 10


def test_plot_tables_have_a_row_a_panel_and_head(synthetic_reports):
    for path in (synthetic_reports / "reports/plots").glob("*.csv"):
        table = pd.read_csv(path)
        assert list(table.columns) == ["panel", "layer", "head", "value"]
        assert len(table) == table["panel"].nunique() * LAYERS * HEADS
        assert not table.duplicated(["panel", "layer", "head"]).any()


def test_the_table_of_all_heads_joins_the_pages(synthetic_reports):
    reports = synthetic_reports / "reports"
    assert (reports / "heads.csv").read_bytes() == (reports / "site/heads.csv").read_bytes()
    table = pd.read_csv(reports / "heads.csv")
    assert len(table) == LAYERS * HEADS
    for column in ("pattern", "cosine before/after tuning", ABLATED):
        assert table[column].notna().all()


def test_absent_measures_leave_their_page_out(synthetic_reports, tmp_path):
    shutil.copytree(synthetic_reports, tmp_path / "copy", symlinks=True)
    for folder in (tmp_path / "copy/work/measures").iterdir():
        if folder.name not in ("attend", "drift", "finetune", "prepare"):
            shutil.rmtree(folder)
    run_stage(tmp_path / "copy", report)
    reports = tmp_path / "copy/reports"
    assert not list(reports.rglob("ablate*"))
    assert "pages/ablate.html" not in (reports / "site/index.html").read_text()
    assert "pages/drift.html" in (reports / "site/index.html").read_text()
    assert ABLATED not in pd.read_csv(reports / "heads.csv").columns


def test_tables_are_rounded_and_have_no_negative_zero(tmp_path):
    write_csv(pd.DataFrame({"x": [0.123456, -0.00001]}), tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == "x\n0.1235\n0.0\n"


def test_heads_of_two_models_stand_in_rows_of_their_own(synthetic_reports, tmp_path):
    """Maps that another encoder, of two layers, was recorded with lie beside the checkpoint's."""
    folder = shutil.copytree(synthetic_reports, tmp_path / "copy", symlinks=True)
    parameters = folder / "params.yaml"
    entry = "{source: recorded, path: maps, model: another-bert}"
    text = parameters.read_text().replace("corpora: {", f"corpora: {{elsewhere: {entry}, ")
    parameters.write_text(text)
    table = pd.read_parquet(folder / "work/measures/syntax/sentences/heads.parquet")
    table = table[(table["arm"] == "untuned") & (table["layer"] < 2)]
    with contextlib.chdir(folder):
        HEADS_OF_SYNTAX.write(table.assign(arm="recorded"), data="elsewhere")
    run_stage(folder, findings)
    with contextlib.chdir(folder):
        heads = heads_of_pages(head_tables(open_measures(), pages()))
    assert heads.groupby("model", sort=False)["layer"].nunique().to_dict() == {
        "tiny": LAYERS,
        "another-bert": 2,
    }
    assert not heads.duplicated(["model", "layer", "head"]).any()
    others = heads[heads["model"] == "another-bert"]
    assert others["best relation"].notna().all()
    assert others[ABLATED].isna().all()
    written = json.loads((folder / "reports/findings.json").read_text())
    assert written["models"] == ["tiny", "another-bert"]
    assert {claim["model"] for claim in written["claims"].values()} <= {"tiny", ""}
    assert written["claims"]["C5-all"]["model"] == "tiny"


def test_published_accuracies_are_in_the_unit_of_those_beside_them():
    for name, (head, offset) in syntax.PUBLISHED.items():
        assert 0 < offset < head < 1, name  # beside shares
    assert all(0 < score < 1 for score in probes.PUBLISHED.values())
    assert all(1 < value < 100 for value in coreference.PUBLISHED.to_numpy().ravel())


def test_the_list_of_columns_is_in_words_and_names_those_of_the_file(synthetic_reports):
    reports = synthetic_reports / "reports"
    page = (reports / "site/pages/heads.html").read_text()
    shown = re.findall(r'<th scope="col">(.*?)</th>', page)
    terms = re.findall(r"<dt><a [^>]*>(.*?)</a>(?: .*?<code>(.*?)</code></span>)?</dt>", page)
    words, names = [term for term, _ in terms], [code or term for term, code in terms]
    of_values = [word for word in words if not word.endswith((", low", ", high"))]
    # Behind layer and head; a column of the page has the interval of its value.
    assert of_values == [heading.removesuffix(" [low, high]") for heading in shown[2:]]
    assert [unescape(name) for name in names] == list(pd.read_csv(reports / "heads.csv"))[3:]


def test_what_was_read_stands_in_a_line_and_in_a_row_of_each_split(measures):
    def write(table, data, rows):
        write_table(measures, table, rows, data=data)

    split = {"split": "train", "examples": 1200, "tokens": 2400, "unknown": 24, "in_both": 3}
    write(TASK_SIZES, "one", [split, split | {"split": "validation", "examples": 600}])
    measures.corpora.append("web")
    write(CORPUS_SIZES, "web", [{"texts": 1, "tokens": 0}])
    texts = sizes(measures)
    assert data_read(texts) == {
        "one": "task, 1,200 examples in train and 600 examples in validation",
        "web": "corpus, 1 text",
    }
    rows = texts_read(texts).astype(object).fillna("").to_dict("split")["data"]
    assert rows == [
        ["one, train", "task", 1200, 2, 1, ""],
        ["one, validation", "task", 600, 4, 1, 3],
        ["web", "corpus", 1, 0, "", ""],
    ]
