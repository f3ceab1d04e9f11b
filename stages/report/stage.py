"""Draw the report, a site, from `work/measures` and `reports/findings.json`."""

import argparse
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import typer
import vl_convert

from stages.core.corpora.entries import load_corpus_entry
from stages.core.corpora.tables import CORPUS_SIZES
from stages.core.pages.said import counted, listed
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
    headline,
    libraries,
    not_learnt_in_words,
    paper_tallies,
    seeds_in_words,
    tallies,
)
from stages.report.site import SITE, write_site

REPORTS = Path("reports")
DATA = {
    "task": TASK_SIZES,
    "corpus": CORPUS_SIZES,
    "multiple-choice questions": QUESTION_SIZES,
}
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
    findings, texts = read_findings(), sizes(measures)
    top = {
        "models": model_facts(findings, heads),
        "data": data_read(texts),
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
    read = generated_text(measures.questions), texts_read(texts)
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


def sizes(measures: Measures) -> pd.DataFrame:
    """One row a split of tasks and of sets of questions, and a corpus; NaN for what it lacks.

    Returns:
        data, kind (of `DATA`), split, texts, tokens, unknown, in_both.
    """
    columns = ["data", "kind", "split", "texts", "tokens", "unknown", "in_both"]
    tables = []
    for kind, table in DATA.items():
        with suppress(NotMeasured):
            rows = measures.rows(table).rename(columns={"examples": "texts"})
            tables.append(rows.assign(kind=kind).reindex(columns=columns))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def data_read(texts: pd.DataFrame) -> dict[str, str]:
    """The size of each task, corpus and set of questions, in words.

    Args:
        texts: as of `sizes`.
    """
    in_words = {}
    for (data, kind), rows in texts.groupby(["data", "kind"], sort=False):
        if kind == "corpus":
            (number,) = rows["texts"]
            in_words[data] = f"corpus, {counted(number, 'text')}"
        else:
            of_splits = [f"{row.texts:,} examples in {row.split}" for row in rows.itertuples()]
            in_words[data] = f"{kind}, {listed(of_splits)}"
    return in_words


def texts_read(texts: pd.DataFrame) -> pd.DataFrame:
    """The table of `sizes` as readers see it: tokens of a text, and the percentage of unknown ones.

    Args:
        texts: as of `sizes`.
    """
    split = texts["split"].map(", {}".format, na_action="ignore").fillna("")  # none of a corpus
    return pd.DataFrame(
        {
            "data": texts["data"] + split,
            "kind": texts["kind"],
            "texts": texts["texts"],
            "tokens of each": texts["tokens"] / texts["texts"],
            "unknown tokens, %": 100 * texts["unknown"] / texts["tokens"].replace(0, np.nan),
            "trained on, too": texts["in_both"].where(texts["split"] == "validation"),
        }
    )
