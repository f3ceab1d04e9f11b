"""Draw the offline report from `work/measures` and `reports/findings.json`."""

import subprocess
import tempfile
from functools import reduce
from pathlib import Path
from typing import Any

import pandas as pd
import typer
import vl_convert

from stages.core.corpora.entries import load_corpus_entry
from stages.core.pages.gather import pages
from stages.core.pages.page import Page, Section
from stages.core.stage.command import stage_command
from stages.core.stage.settings import section
from stages.core.tasks.task import load_task
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.findings import read_findings
from stages.core.verdicts.measures import Measures, open_measures
from stages.report.site import write_site

REPORTS = Path("reports")
# DVC puts its plots in place of {plot_divs}; its own template loads the runtime from the network.
PLOTS_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>DVC plots</title>
<script>{runtime}</script></head><body>{{plot_divs}}</body></html>
"""
PLOTS_RUNTIME = "window.vegaEmbed = vegaEmbed; window.vega = vega; window.vegaLite = vegaLite;"

app = typer.Typer(add_completion=False)


@app.callback(invoke_without_command=True)
def build(context: typer.Context) -> None:
    """Write reports/index.html, one page for each stage, and their figures and tables."""
    if context.invoked_subcommand:
        return
    measures = open_measures()
    measured = measured_pages(measures)
    heads = heads_of_pages(measures, measured)
    write_site(REPORTS, read_findings(), measured, heads, generated_text())


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def plots(context: typer.Context) -> None:
    """Run `dvc plots` so that its page works without a network, as in: plots diff HEAD~1 HEAD."""
    runtime = vl_convert.javascript_bundle(PLOTS_RUNTIME)
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as template:
        template.write(PLOTS_TEMPLATE.format(runtime=runtime))
        template.flush()
        command = ["dvc", "plots", *context.args, "--html-template", template.name]
        raise typer.Exit(subprocess.run(command, check=False).returncode)


def generated_text() -> list[str]:
    """The tasks and corpora whose text this project's programs wrote."""
    tasks = section(list[str], "run.tasks")
    corpora = list(section(dict[str, Any], "corpora"))
    return [
        *(name for name in tasks if load_task(name).data.source == "written"),
        *(name for name in corpora if load_corpus_entry(name).source == "written"),
    ]


def measured_pages(measures: Measures) -> dict[str, tuple[Page, list[Section]]]:
    """The pages whose measures this configuration has, with what they show, in their order."""
    measured = {}
    for name, page in pages().items():
        try:
            measured[name] = (page, page.sections(measures))
        except NotMeasured:
            continue
    return measured


def heads_of_pages(
    measures: Measures, measured: dict[str, tuple[Page, list[Section]]]
) -> pd.DataFrame:
    """One row a layer and head; every page adds its columns."""
    parts = [page.heads(measures) for page, _ in measured.values() if page.heads]
    if not parts:
        return pd.DataFrame(columns=["layer", "head"])
    return reduce(lambda left, right: left.join(right, how="outer"), parts).reset_index()


if __name__ == "__main__":
    stage_command(app)
