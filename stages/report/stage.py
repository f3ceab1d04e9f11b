"""Draw the report, a site, from `work/measures` and `reports/findings.json`."""

import argparse
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import typer
import vl_convert

from stages.core.corpora.entries import load_corpus_entry
from stages.core.corpora.tables import CORPUS_SIZES
from stages.core.questions.tables import QUESTION_SIZES
from stages.core.questions.task import load_question_task
from stages.core.stage.settings import section
from stages.core.stage.targets import target_file
from stages.core.tasks.tables import TASK_SIZES
from stages.core.tasks.task import load_task
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.findings import Findings, read_findings
from stages.core.verdicts.measures import Measures, open_measures
from stages.report.fingerprint import fingerprint
from stages.report.head_pages import models_of
from stages.report.measured_pages import (
    MeasuredPage,
    columns_of_pages,
    head_tables,
    heads_of_pages,
    measured_pages,
)
from stages.report.model_facts import model_facts
from stages.report.origins import origins
from stages.report.overview import (
    by_paper,
    by_reason,
    certainty,
    data_read,
    headline,
    libraries,
    not_learnt_in_words,
    paper_tallies,
    seeds_in_words,
    tallies,
)
from stages.report.site import SITE, write_site

REPORTS = Path("reports")
PLOTS_FOLDER, PLOTS_MARK = "dvc_plots", "<title>DVC "  # as DVC has them
# DVC puts its plots in place of {plot_divs}; its own template loads the runtime from the network.
PLOTS_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>DVC plots</title>
<script>{runtime}</script></head><body>{{plot_divs}}</body></html>
"""
PLOTS_RUNTIME = "window.vegaEmbed = vegaEmbed; window.vega = vega; window.vegaLite = vegaLite;"


def run_stage() -> None:
    """Write the site into reports/site, and heads.csv and plots beside it, which git keeps."""
    measures = open_measures()
    measured = measured_pages(measures)
    shown = {name: one.page for name, one in measured.items()}
    of_pages = head_tables(measures, shown)
    heads = heads_of_pages(of_pages)
    findings = read_findings()
    top = {
        "models": model_facts(findings, heads),
        "data": data_read(measures),
        "seeds_in_words": seeds_in_words(findings),
        "libraries": libraries(),
        "fingerprint": fingerprint(),
        "headline": headline(findings),
        "certainty": certainty(findings),
        "not_learnt_in_words": not_learnt_in_words(findings),
        "tallies": tallies(findings),
        "paper_tallies": paper_tallies(findings),
        "papers": by_paper(findings),
        "reasons": by_reason(findings),
    }
    columns = columns_of_pages(of_pages, shown)
    read = generated_text(measures.questions), texts_read(measures)
    from_stages = origins(folders_read(findings, measured))
    models = models_of(measures)
    write_site(REPORTS, findings, measured, heads, *read, top, models, columns, from_stages)
    typer.echo(f"the report: {(REPORTS / SITE / 'index.html').resolve()}")


def folders_read(findings: Findings, measured: dict[str, MeasuredPage]) -> list[str]:
    """The folders of `work/measures` that some page or claim read, in alphabetical order."""
    of_pages = (name for one in measured.values() for name in one.read)
    of_claims = (name for finding in findings.claims.values() for name in finding.read)
    return sorted({*of_pages, *of_claims})


def plots(arguments: list[str]) -> int:
    """Run `dvc plots` so that its page works without a network.

    Returns:
        Its exit status.

    Raises:
        InputError: it would write its page over another.
    """
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-o", "--out", default=PLOTS_FOLDER)
    folder = parser.parse_known_args(arguments)[0].out
    target_file(Path(folder) / "index.html", "page of plots", PLOTS_MARK)
    runtime = vl_convert.javascript_bundle(PLOTS_RUNTIME)
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as template:
        template.write(PLOTS_TEMPLATE.format(runtime=runtime))
        template.flush()
        command = ["dvc", "plots", *arguments, "--html-template", template.name]
        return subprocess.run(command, check=False).returncode


def generated_text(questions: Iterable[str]) -> list[str]:
    """The tasks, corpora and sets of questions whose text this project's programs wrote."""
    tasks = section(list[str], "run.tasks")
    corpora = list(section(dict[str, Any], "corpora"))
    return [
        *(name for name in tasks if load_task(name).data.source == "written"),
        *(name for name in corpora if load_corpus_entry(name).source == "written"),
        *(name for name in questions if load_question_task(name).data.source == "written"),
    ]


def texts_read(measures: Measures) -> pd.DataFrame:
    """One row a split or corpus: its size, and what the encoder does not know of it."""
    rows = []
    with suppress(NotMeasured):
        for _, row in measures.rows(TASK_SIZES).iterrows():
            both = row["in_both"] if row["split"] == "validation" else ""
            rows.append(
                [f"{row['data']}, {row['split']}", row["examples"], *_tokens(row, "examples"), both]
            )
    with suppress(NotMeasured):
        for _, row in measures.rows(CORPUS_SIZES).iterrows():
            rows.append([f"corpus {row['data']}", row["texts"], *_tokens(row, "texts"), ""])
    with suppress(NotMeasured):
        for _, row in measures.rows(QUESTION_SIZES).iterrows():
            both = row["in_both"] if row["split"] == "validation" else ""
            said = f"{row['data']}, {row['split']}: questions"
            rows.append([said, row["examples"], *_tokens(row, "examples"), both])
    columns = ["data", "texts or pairs", "tokens of each", "unknown tokens, %", "trained on, too"]
    return pd.DataFrame(rows, columns=columns)


def _tokens(row: pd.Series, counted: str) -> tuple[float, float]:
    """Tokens of a text on average, and the percentage of them that is unknown."""
    unknown = 100 * row["unknown"] / row["tokens"] if row["tokens"] else float("nan")
    return row["tokens"] / row[counted], unknown
