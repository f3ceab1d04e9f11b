"""Write the pages: HTML from templates, each figure as SVG, each table as CSV.

Everything a page needs lies beside it, so the report works from disk without a network.
"""

import shutil
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from stages.core.pages.charts import PLACES
from stages.core.pages.page import MOST_ROWS, Figure, Table
from stages.core.pages.saving import data_of, save_svg
from stages.core.pages.titles import heading_in_words
from stages.core.stage.files import atomic
from stages.core.verdicts.findings import FINDINGS_FILE, Findings
from stages.core.verdicts.region import Verdict
from stages.core.viewer.script.inline import as_json
from stages.report.bars import (
    allows_for_choice,
    bar,
    is_signed,
    published_in_words,
    region_in_words,
    shown,
)
from stages.report.cells import columns, rows
from stages.report.embedded_charts import inline_specification
from stages.report.gallery import KINDS, gallery_of, write_gallery_assets
from stages.report.head_pages import (
    ModelHeads,
    places_of_models,
    write_head_assets,
    write_heads,
)
from stages.report.measured_pages import MeasuredPage, navigation
from stages.report.model_facts import model_in_words
from stages.report.origins import Origin, as_yaml
from stages.report.overview import difference_in_words, fine_tunings_in_words
from stages.report.prose import argument_in_words, names_a_layer, place_in_source, plain, prose

HERE = Path(__file__).parent
SITE = "site"  # the folder below `reports` that git ignores
RUNTIME = "window.vegaEmbed = vegaEmbed;"


def environment() -> Environment:
    """The templates with the filters they use."""
    made = Environment(
        loader=PackageLoader("stages.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        bar=bar,
        allows_for_choice=allows_for_choice,
        shown=shown,
        region=region_in_words,
        published=published_in_words,
        signed=is_signed,
        heading=heading_in_words,
        columns=columns,
        rows=rows,
        json=lambda content: Markup(as_json(content)),
        prose=prose,
        plain=plain,
        argument=argument_in_words,
        difference=difference_in_words,
        fine_tunings=fine_tunings_in_words,
        model=model_in_words,
        place=place_in_source,
        names_a_layer=names_a_layer,
        yaml=as_yaml,
        specification=inline_specification,
    )
    made.tests.update(figure=lambda item: isinstance(item, Figure))
    return made


def write_site(
    reports: Path,
    findings: Findings,
    pages: dict[str, MeasuredPage],
    heads: pd.DataFrame,
    generated: list[str],
    texts: pd.DataFrame,
    top: dict[str, Any],
    models: list[ModelHeads],
    columns: pd.DataFrame,
    origins: dict[str, Origin],
) -> None:
    """Write the site into `reports/site`, and heads.csv and plot tables into `reports`.

    The site has copies of heads.csv and findings.json: its links lead to no file outside.

    Args:
        pages: by file name, in the order of the navigation.
        heads: the table of all heads, one row a model, layer and head.
        generated: the tasks and corpora whose text programs wrote.
        texts: the table of what was read, one row a split or corpus.
        top: what the overview alone says, by name.
        models: whose heads have a page.
        columns: what the columns of `heads` are, and the page that each is from.
        origins: the stages whose tables pages and claims read, by folder of `work/measures`.
    """
    templates = environment()
    # The first page of a study is the one that its claims link to.
    page_of = {study: name for name, one in reversed(pages.items()) for study in one.page.studies}
    shared = {
        "findings": findings,
        "navigation": navigation(pages),
        "heads": heads,
        "most_rows": MOST_ROWS,
        "generated": generated,
        "texts": texts,
        "models_of_heads": places_of_models(models),
        "columns_of_heads": columns,
        "verdicts": get_args(Verdict),
        "single_seeds": [
            name for name, seeds in (findings.seeds | findings.questions).items() if len(seeds) == 1
        ],
        "page_of": page_of,
        "claim_pages": claim_pages(findings, page_of),
        "origins": origins,
    }
    named = {model.name: model_in_words(model.name, findings) for model in models}
    items = [item for page in pages.values() for item in page.items]
    gallery = {
        "gallery": gallery_of(models),
        "kinds": KINDS,
        "shown_generated": [
            name
            for name in generated
            if any(example.data == name for model in models for example in model.examples)
        ],
    }

    def render(template: str, name: str, root: str = "../", **more: Any) -> str:
        return templates.get_template(f"{template}.html").render(
            shared, root=root, current=name, **more
        )

    with atomic(reports / SITE) as site:
        (site / "pages").mkdir(parents=True)
        write_assets(site / "assets")
        write_heads(site / "heads", models, generated, named)
        write_items(site, items)
        write_csv(heads, site / "heads.csv")
        shutil.copyfile(reports / FINDINGS_FILE.name, site / FINDINGS_FILE.name)
        texts_of_pages = {
            **{name: render("page", name, shown=page) for name, page in pages.items()},
            **{name: render(name, name, pages=pages) for name in ("heads", "head", "origins")},
            "gallery": render("gallery", "gallery", **gallery),
        }
        for name, text in texts_of_pages.items():
            (site / "pages" / f"{name}.html").write_text(text, encoding="utf-8")
        (site / "index.html").write_text(render("index", "index", "", **top), encoding="utf-8")
    write_csv(heads, reports / "heads.csv")
    write_plots(reports / "plots", items)


def claim_pages(findings: Findings, page_of: dict[str, str]) -> dict[str, str]:
    """The page with the card of each claim; those whose study has no page here are left out."""
    claims = {**findings.claims, **findings.not_shown}
    return {name: page_of[claim.study] for name, claim in claims.items() if claim.study in page_of}


def write_items(site: Path, items: list[Figure | Table]) -> None:
    """Write figures, as SVG and with their data, and tables."""
    figures, tables = site / "figures", site / "tables"
    for folder in (figures, tables):
        folder.mkdir()
    for item in items:
        if isinstance(item, Table):
            write_csv(item.frame, tables / f"{item.name}.csv")
            continue
        save_svg(item.vega_lite, figures / f"{item.name}.svg")
        write_csv(data_of(item.drawn), figures / f"{item.name}.csv")


def write_plots(plots: Path, items: list[Figure | Table]) -> None:
    """Write `NAME.csv` of each figure of layers x heads, for `dvc plots`."""
    with atomic(plots) as folder:
        folder.mkdir()
        for item in items:
            if isinstance(item, Figure) and item.plot is not None:
                write_csv(item.plot, folder / f"{item.name}.csv")


def write_assets(folder: Path) -> None:
    """Write the one Vega runtime that all pages share, our own script, and the style."""
    shutil.copytree(HERE / "static", folder)
    write_head_assets(folder)
    write_gallery_assets(folder)
    (folder / "vega.js").write_text(vl_convert.javascript_bundle(RUNTIME), encoding="utf-8")


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table with rounded numbers, so that a diff shows changes that mean something."""
    frame = frame.round(PLACES)
    numbers = frame.select_dtypes("float").columns
    frame[numbers] = frame[numbers] + 0.0  # no -0.0
    with atomic(path) as partial:
        frame.to_csv(partial, index=False, lineterminator="\n")
