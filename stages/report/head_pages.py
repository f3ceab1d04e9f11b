"""The page of every head: its data as script files, of which a page loads those that it shows.

A page that is opened from the disk may load scripts and nothing else: each file calls `headsData`
with its name and its content (stages/report/head_page/head_page.js).
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from stages.core.pages.declared import HeadFacts
from stages.core.pages.gather import all_facts
from stages.core.pages.joined import PLACE
from stages.core.stage.files import atomic
from stages.core.tasks.task import load_task
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.models import by_model, recorded_models
from stages.core.viewer.script.assets import joined, viewer_script, viewer_style
from stages.core.viewer.script.inline import as_json
from stages.report.cells import columns as columns_of
from stages.report.cells import rows as rows_of
from stages.report.head_examples import Example, examples_of, notes

SOURCES = Path(__file__).parent / "head_page"
INDEX = "index"


@dataclass(frozen=True)
class ModelHeads:
    """What is known of the heads of one model: tables with the columns `layer` and `head`."""

    name: str
    corpora: list[str]
    layers: int
    heads: int
    facts: list[tuple[HeadFacts, pd.DataFrame]]
    examples: list[Example]

    @cached_property
    def texts(self) -> list[list[list[str]]]:
        """The rows of each table as text: all heads have the same decimal places."""
        return [texts_of(table) for _, table in self.facts]

    @property
    def listed(self) -> dict[str, Any]:
        """Its entry in the index."""
        return {
            "name": self.name,
            "corpora": self.corpora,
            "layers": self.layers,
            "heads": self.heads,
            "tables": [described(fact, table) for fact, table in self.facts],
            "examples": [example.listed for example in self.examples],
        }


def models_of(measures: Measures) -> list[ModelHeads]:
    """The models of a configuration of whose heads something is known, the checkpoint first."""
    labels = {task: _labels(task) for task in measures.tasks}
    recorded = recorded_models(measures.corpora)
    found = []
    for name, own in by_model(measures).items():
        facts = []
        for fact in all_facts():
            with suppress(NotMeasured):
                facts.append((fact, some_rows(fact.rows(own))))
        examples = examples_of(own, labels)
        places = [table[PLACE] for _, table in facts if len(table)]
        places += [pd.DataFrame(one.heads, columns=PLACE) for one in examples]
        if not places:
            continue
        last = pd.concat(places).max()
        corpora = [corpus for corpus, model in recorded.items() if model == name]
        size = int(last["layer"]) + 1, int(last["head"]) + 1
        found.append(ModelHeads(name, corpora, *size, facts, examples))
    return found


def _labels(task: str) -> list[str] | None:
    definition = load_task(task)
    return None if definition.labels is None else definition.label_names


def described(fact: HeadFacts, table: pd.DataFrame) -> dict[str, Any]:
    """What all heads share of a table: its words and the names of its columns."""
    shown = columns_of(table.drop(columns=PLACE).iloc[:0])  # of every row they are the same
    return {
        "page": fact.page,
        "title": fact.title,
        "text": fact.text,
        "columns": [column.heading for column in shown],
        "numbers": [column.is_number for column in shown],
    }


def facts_of_layer(model: ModelHeads, layer: int) -> list[dict[str, Any]]:
    """Of every head of a layer the rows of each table, and notes on examples."""
    of_examples = notes(model.examples)
    found = []
    for head in range(model.heads):
        rows = []
        for (_, table), texts in zip(model.facts, model.texts, strict=True):
            is_own = ((table["layer"] == layer) & (table["head"] == head)).to_numpy()
            rows.append([row for row, own in zip(texts, is_own, strict=True) if own])
        own_notes = of_examples.get((layer, head), {})
        found.append({"rows": rows, "notes": own_notes})
    return found


def texts_of(table: pd.DataFrame) -> list[list[str]]:
    """The cells of a table as text, without layer and head."""
    return [[cell.text for cell in row] for row in rows_of(columns_of(table.drop(columns=PLACE)))]


def write_heads(
    folder: Path, models: list[ModelHeads], generated: list[str], named: Mapping[str, str]
) -> None:
    """Write the index, a file a layer with what is known of its heads, and the examples.

    A drawn example has a file of its own; those that were chosen for one map stand together, one
    file for each task or corpus.

    Args:
        generated: the tasks and corpora whose text programs wrote.
        named: what readers call models, where they have another name.
    """
    listed = [model.listed | {"name": named.get(model.name, model.name)} for model in models]
    with atomic(folder) as partial:
        partial.mkdir()
        _write(partial, INDEX, {"models": listed, "generated": generated})
        for number, model in enumerate(models):
            for layer in range(model.layers):
                _write(partial, f"facts-{number}-{layer}", facts_of_layer(model, layer))
            for example in model.examples:
                if example.drawn:
                    _write(partial, file_of(example), {example.key: example.record})
            chosen: dict[str, dict[str, Any]] = {}
            for example in model.examples:
                if not example.drawn:
                    chosen.setdefault(file_of(example), {})[example.key] = example.record
            for name, records in chosen.items():
                _write(partial, name, records)


def file_of(example: Example) -> str:
    """The name of the file with the maps of an example."""
    return f"maps-{example.key}" if example.drawn else f"maps-{example.data}-chosen"


def _write(folder: Path, name: str, content: Any) -> None:
    text = f"headsData({as_json(name)},{as_json(content)});\n"
    (folder / f"{name}.js").write_text(text, encoding="utf-8")


def write_head_assets(folder: Path) -> None:
    """Write the script and the style of the page into the folder of assets."""
    own = joined(SOURCES, ("unpacking.js", "facts.js", "head_page.js"))
    # In a function of its own: other scripts of the report may use the same names.
    script = f'"use strict";\n(() => {{\n{viewer_script()}\n{own}}})();\n'
    (folder / "head_page.js").write_text(script, encoding="utf-8")
    style = f"{viewer_style()}{joined(SOURCES, ('head_page.css',))}"
    (folder / "head_page.css").write_text(style, encoding="utf-8")


def places_of_models(models: list[ModelHeads]) -> dict[str, Any]:
    """What links from charts and tables need: names of models, and corpora of recorded ones."""
    return {
        "models": [model.name for model in models],
        "corpora": {corpus: place for place, one in enumerate(models) for corpus in one.corpora},
        "layers": [model.layers for model in models],
        "heads": [model.heads for model in models],
    }
