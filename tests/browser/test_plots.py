"""`dvc plots` with the layer x head template, drawn without a network."""

import contextlib
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from stages.report.command import app
from tests.browser.test_report import CHROMIUM, browse
from tests.synthetic_measures import HEADS, LAYERS, TASKS

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path("reports/plots/drift-cropped.csv")
PIPELINE = f"""\
plots:
- drift:
    template: heatmap
    x: head
    y:
      {TABLE}: layer
"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on PATH")
def test_plots_of_two_revisions_are_drawn_side_by_side(synthetic_reports, tmp_path):
    repository = tmp_path / "repository"
    shutil.copytree(synthetic_reports / "reports", repository / "reports")
    (repository / "dvc.yaml").write_text(PIPELINE, encoding="utf-8")
    shutil.copytree(ROOT / ".dvc" / "plots", repository / ".dvc" / "plots")
    with contextlib.chdir(repository):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        (repository / ".dvc" / "config").touch()
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
            subprocess.run([*git, *command], check=True)
        changed = pd.read_csv(TABLE).assign(value=0.5)
        changed.to_csv(TABLE, index=False)
        assert CliRunner().invoke(app, ["plots", "diff", "HEAD"]).exit_code == 0
    page = repository / "dvc_plots" / "index.html"
    assert not re.search(r'<(?:script|link)[^>]*(?:src|href)="', page.read_text(encoding="utf-8"))
    dom, log = browse(page, tmp_path / "profile")
    drawn = re.findall(r'aria-roledescription="rect mark"', dom)
    # Two revisions of the tuned encoder and of the one tuned from random weights.
    assert len(drawn) == 2 * 2 * len(TASKS) * LAYERS * HEADS
    # The template is of Vega-Lite 5, for the pages that DVC itself makes.
    complaints = [line for line in log.splitlines() if "CONSOLE" in line]
    assert all("Vega-Lite v5" in line for line in complaints), complaints
