"""Which files a stage runs, of a small project whose answer is known by hand."""

from pathlib import Path

import pytest

from stages.code import stage
from stages.core import closure
from stages.core.stage.files import InputError

WORDS = '"""Words alone."""\n'
RUN = "\ndef run_stage():\n    pass\n"
FILES = {
    "__init__.py": WORDS,
    "__main__.py": "import stages.core.command\n\nA = 1\n",
    "core/command.py": "A = 1\n",
    "core/__init__.py": WORDS,
    "core/shared.py": "from stages.core.deeper.sums import add\n",
    "core/other.py": "A = 1\n",
    "core/deeper/__init__.py": WORDS + "import stages.core.other\n",
    "core/deeper/sums.py": "import math\n\nadd = math.fsum\n",
    "core/deeper/static/rules.txt": "one",
    "drift/__init__.py": WORDS,
    "drift/stage.py": "from stages.core.shared import add\n" + RUN,
    "tuning/readers/stage.py": "import stages.tuning.words\n" + RUN,
    "tuning/words.py": "A = 1\n",
    "drift/page.py": "PAGE = 1\n",
    "report/__init__.py": "",
    "report/command.py": "import stages.report.compare\n\nA = 1\n",
    "report/compare.py": "A = 1\n",
    "report/stage.py": RUN,
    "report/templates/base.html": "<p>",
    "report/head/__init__.py": "B = 1\n",
    "report/head/head.js": "1",
    "corpus/__init__.py": WORDS,
    "corpus/stage.py": "\ndef read():\n    pass\n" + RUN,
    "corpus/conllu.py": "import stages.core.other\n\ndef read():\n    pass\n",
    "corpus/written.py": "A = 1\n\ndef read():\n    pass\n",
    "corpus/sound.py": "A = 1\n",
    "view/__init__.py": WORDS,
    "view/command.py": "A = 1\n",
    "code/stage.py": RUN,
    "drift/.draft.txt": "no",
}
COMMAND = ["__main__.py", "core/command.py"]
SHARED = ["core/deeper/static/rules.txt", "core/deeper/sums.py", "core/other.py", "core/shared.py"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        file = tmp_path / "stages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for module in (closure, stage):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    known = (closure.imports, closure.runs_nothing, closure._tree, stage._modules_in)
    for one in known:
        one.cache_clear()
    yield tmp_path
    for one in known:
        one.cache_clear()


def run_of(name: str) -> list[str]:
    return [file.relative_to("stages").as_posix() for file in stage.run_files()[name]]


def test_a_stage_runs_what_it_imports_at_any_depth_and_no_page(project):
    assert run_of("drift") == sorted([*COMMAND, *SHARED, "drift/stage.py"])


def test_a_stage_in_a_room_of_another_has_its_folders_name(project):
    assert run_of("readers") == [*COMMAND, "tuning/readers/stage.py", "tuning/words.py"]


def test_kept_results_are_of_all_code_that_their_module_runs(project):
    """As fine-tunings are, which a stage does not make anew: no list by hand can lack a file."""
    found = closure.code_run_by("stages.drift.stage")
    python = [name for name in (*SHARED, "drift/stage.py") if name.endswith(".py")]
    assert found == [project / "stages" / name for name in python]


def test_the_report_loads_pages_by_their_names_and_reads_the_files_of_its_packages(project):
    own = ("command.py", "compare.py", "stage.py", "templates/base.html")
    assert run_of("report") == [*COMMAND, "drift/page.py", *(f"report/{name}" for name in own)]


def test_a_corpus_runs_the_reader_of_its_source_and_no_other(project):
    common = [*COMMAND, "corpus/stage.py"]
    names = [name for name in stage.run_files() if name.startswith("corpus")]
    assert names == ["corpus-conllu", "corpus-written"]
    assert run_of("corpus-written") == [*common, "corpus/written.py"]
    expected = [*COMMAND, "core/other.py", "corpus/conllu.py", "corpus/stage.py"]
    assert run_of("corpus-conllu") == expected


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    import stages.core.other\n",
        "class A:\n    def f(self):\n        from stages.core import other\n",
        "if True:\n    pass\nelse:\n    import stages.core.other as o\n",
        "try:\n    pass\nexcept OSError:\n    import stages.core.other\n",
        "try:\n    pass\nfinally:\n    import math, stages.core.other\n",
        "match 1:\n    case 1:\n        import stages.core.other\n",
        "for a in ():\n    with a:\n        while a:\n            import stages.core.other\n",
    ],
)
def test_an_import_counts_wherever_it_stands(project, text):
    (project / "stages/drift/stage.py").write_text(text + RUN)
    assert run_of("drift") == [*COMMAND, "core/other.py", "drift/stage.py"]


def test_commands_on_whose_code_no_result_depends_have_none(project):
    names = ["corpus-conllu", "corpus-written", "drift", "readers", "report"]
    assert sorted(stage.run_files()) == names


def test_a_package_that_is_run_as_a_whole_stands_for_its_files(project):
    parts = [Path(f"stages/drift/{name}.py") for name in ("page", "stage")]
    found = stage.folded([*parts, Path("stages/core/other.py")])
    assert found == [Path("stages/core/other.py"), Path("stages/drift")]
    assert stage.folded(parts[:1]) == parts[:1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1\nb = (\n", "stages/drift/stage.py, line 2: no Python"),
        ("\nfrom . import other\n", "stages/drift/stage.py, line 2: a relative import"),
        ("from .other import a\n", "stages/drift/stage.py, line 1: a relative import"),
    ],
)
def test_what_cannot_be_read_is_named(project, text, words):
    (project / "stages/drift/stage.py").write_text(text + RUN)
    with pytest.raises(InputError, match=words):
        stage.run_files()
