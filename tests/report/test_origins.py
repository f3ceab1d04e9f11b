"""Where numbers are from: stages with their code and settings, of a pipeline known by hand."""

import json
from pathlib import Path

from stages.core.stage.files import read_yaml
from stages.report.origins import Origin, as_yaml, origins
from tests.synthetic_measures import TASKS

PIPELINE = """
stages:
  syntax:
    desc: Heads that find heads
    matrix: {corpus: '${syntax.corpora}'}
    cmd: python -m stages syntax ${item}
    deps: [work/corpora, work/code/syntax.txt]
    params: [syntax, 'corpora.${item.corpus}']
    outs: ['work/measures/syntax/${item.corpus}.parquet']
  readers:
    cmd: python -m stages readers ${item}
    deps: [work/code/readers.txt]
    params: [readers.tasks, absent]
    outs: [{work/measures/readers/a: {cache: false}}]
  corpus:
    foreach: ${corpora}
    do:
      desc: Texts
      cmd: python -m stages corpus  # DVC tells it which one
      deps: ['work/code/corpus-${item.source}.txt']
      params: ['corpora.${key}']
      outs: ['work/measures/corpus/${key}.parquet']
  other:
    cmd: python -m stages other
    outs: [work/elsewhere]
"""
SETTINGS = """
syntax: {corpora: [web], offsets: 5}
readers: {tasks: [web], seed: 0}
corpora: {web: {texts: 3}, news: {texts: 4}}
"""


SYNTAX = ["stages/__main__.py", "stages/core/stage", "stages/syntax/stage.py"]
CODE = {
    "syntax": SYNTAX,
    "readers": ["stages/finetune/readers", "stages/syntax/words.py"],
    "ablate": ["stages/ablate/stage.py"],
    "corpus-conllu": ["stages/corpus/conllu.py", "stages/corpus/sound.py"],
    "corpus-written": ["stages/corpus/sound.py", "stages/corpus/written.py"],
}


def written(folder: Path) -> tuple[Path, Path, Path]:
    (folder / "dvc.yaml").write_text(PIPELINE)
    (folder / "params.yaml").write_text(SETTINGS)
    (folder / "files.json").write_text(json.dumps(CODE))
    return folder / "dvc.yaml", folder / "params.yaml", folder / "files.json"


def test_a_stage_has_its_own_code_and_the_settings_that_it_lists(tmp_path):
    found = origins(["corpus", "readers", "syntax"], *written(tmp_path))
    assert found["syntax"] == Origin(
        "syntax",
        "Heads that find heads",
        "python -m stages syntax",
        "stages/syntax/stage.py",
        ["stages/syntax/stage.py"],
        {"syntax": {"corpora": ["web"], "offsets": 5}, "corpora.web": {"texts": 3}},
    )
    assert found["syntax"].file == "stages/syntax/stage.py"
    assert found["readers"].settings == {"readers.tasks": ["web"]}
    assert found["readers"].code == ["stages/finetune/readers"]
    assert found["readers"].file == "stages/finetune/readers"
    corpus = found["corpus"]
    assert (corpus.description, corpus.file) == ("Texts", "stages/corpus")
    assert corpus.code == ["stages/corpus/sound.py"]
    assert corpus.settings == {"corpora.web": {"texts": 3}, "corpora.news": {"texts": 4}}


def test_only_what_was_read_is_named_and_what_nobody_writes_by_its_folder_alone(tmp_path):
    assert list(origins(["unknown", "syntax"], *written(tmp_path))) == ["syntax", "unknown"]
    found = origins(["syntax"], tmp_path / "none.yaml", tmp_path / "params.yaml")
    assert found == {"syntax": Origin("syntax")}
    assert found["syntax"].file == ""


def test_settings_read_as_they_were(tmp_path):
    settings = {"a": {"b": [1, 2.5, "x"], "c": None}, "d.e": True}
    (tmp_path / "again.yaml").write_text(as_yaml(settings))
    assert read_yaml(tmp_path / "again.yaml") == settings


def test_claims_pages_and_stages_are_linked_to_each_other(synthetic_reports):
    """A claim of drift and its page lead to the stage, with its settings; the stage leads back."""
    site = synthetic_reports / "reports/site"
    findings = read_yaml(synthetic_reports / "reports/findings.json")["claims"]
    name = next(name for name, one in findings.items() if one["study"] == "K5")
    finding = findings[name]
    assert finding["module"] == "stages/drift/claims.py"
    assert "drift" in finding["read"]
    page = (site / "pages/drift.html").read_text()
    card = page[page.index(f'id="{name}"') :].split("</article>")[0]
    assert "<code>stages/drift/claims.py</code>" in card
    assert '<a href="../pages/origins.html#drift">drift</a>' in card
    assert '<a href="https://aclanthology.org/D19-1445">' in card
    assert "../figures/drift-cropped.csv" in page
    origin = (site / "pages/origins.html").read_text()
    section = origin[origin.index('<h2 id="drift">') :].split("</section>")[0]
    assert f'href="../pages/drift.html#{name}"' in section
    assert "<code>stages/drift/stage.py</code>" in section
    assert "../figures/drift-cropped.csv" in section
    batch = read_yaml(synthetic_reports / "params.yaml").get("drift", {}).get("batch")
    assert batch is None or f"batch: {batch}" in section
    assert all(f"tasks.{task}" in section for task in TASKS)
