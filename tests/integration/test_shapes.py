"""Whatever the shape of a user's data is, the report of it is drawn, and nothing in it is empty."""

import shutil
from pathlib import Path

import pytest

from stages.findings.command import app as findings
from stages.report.command import app as report
from tests.integration.shapes import configure, measure
from tests.integration.test_pipeline import keep_few
from tests.report.sound import complaints
from tests.synthetic_measures import run_stage
from tools.pipeline import ROOT


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the data, with few labelled maps, and for work that all shapes share."""
    folder = tmp_path_factory.mktemp("shared")
    shutil.copytree(ROOT / "data", folder / "data")
    keep_few(folder / "data/patterns")
    return folder


@pytest.mark.parametrize(
    "shape", ["single", "pairs", "regression", "recorded", "no tasks", "one head"]
)
def test_the_report_of_a_shape_is_whole(
    shape, shared, tiny_checkpoints, warm, tmp_path, monkeypatch
):
    # Images are drawn of the same specifications, which takes most of the time.
    monkeypatch.setattr("stages.report.site.save_svg", lambda made, path: path.write_text("<svg/>"))
    configure(tmp_path, shape, tiny_checkpoints["bert"], shared / "data")
    measure(tmp_path, shape, shared / "work", warm)
    run_stage(tmp_path, findings)
    run_stage(tmp_path, report)
    assert complaints(tmp_path) == []
