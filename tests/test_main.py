"""`python -m stages NAME`: the help, the options and the errors of every command."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from stages.__main__ import OPTIONS, app, stage_function
from stages.core.stage.command import command_files, stage_files
from stages.core.stage.files import read_yaml
from tools.pipeline import ROOT, definition, stage_name

COMMANDS = sorted(command_files())
HEAVY = ("torch", "transformers", "pandas", "numpy", "scipy", "altair", "sklearn")
# Asks every command for its help, and names the heavy libraries that are imported then.
ASK = """
import sys
from typer.testing import CliRunner
from stages.__main__ import app
commands, heavy = (words.split() for words in sys.argv[1:])
for words in [[], *([name] for name in commands), ["findings", "check"], ["report", "compare"]]:
    asked = CliRunner().invoke(app, [*words, "--help"])
    assert asked.exit_code == 0 and "Usage" in asked.output, (words, asked.output)
print("imported:", *(name for name in heavy if name in sys.modules))
"""
STAGE = '''
import no_such_library

def run_stage({parameters}) -> None:
    """Measure something.

    It takes a second.

    Raises:
        InputError: of no concern here.
    """
'''


def ask(*words: str) -> Any:
    return CliRunner().invoke(app, words, env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"})


def plain(output: str) -> str:
    """The words of a message, out of their box."""
    return " ".join(output.replace("│", " ").split())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_describes_it_and_each_option(name):
    asked = ask(name, "--help")
    assert asked.exit_code == 0, asked.output
    assert f"Usage: root {name} " in plain(asked.output)
    if (file := stage_files().get(name)) == command_files()[name]:
        function = stage_function(file)
        assert plain(function.__doc__.split("\n\n")[0]) in plain(asked.output)
        for parameter in function.__signature__.parameters:
            assert OPTIONS[parameter].help


def test_every_stage_of_the_pipeline_is_a_command_of_its_name():
    pipeline = read_yaml(ROOT / "dvc.yaml")["stages"]
    names = {name: stage_name(definition(stage)["cmd"]) for name, stage in pipeline.items()}
    assert names == {name: name for name in pipeline}
    assert set(pipeline) == set(stage_files())
    assert {*pipeline, "view"} == set(COMMANDS)


def test_all_commands_are_listed_with_a_line():
    lines = ask("--help").output.partition("Commands")[2].splitlines()
    listed = dict(line.strip("│ ").partition(" ")[::2] for line in lines)
    assert all(listed[name].strip() for name in COMMANDS)
    assert listed["drift"].strip().startswith("Compare every head's maps before and after")


def test_help_imports_nothing_that_takes_seconds():
    asked = subprocess.run(
        [sys.executable, "-c", ASK, " ".join(COMMANDS), " ".join(HEAVY)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.split() == ["imported:"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("drfit --task a", "No such command 'drfit'. Did you mean 'drift'?"),
        ("text_example", "Did you mean 'text_examples'"),
        ("nothing_alike", "No such command 'nothing_alike'."),
        ("findings chek", "No such command 'chek'. Did you mean 'check'?"),
    ],
)
def test_an_unknown_name_is_refused_with_the_near_ones(words, message):
    refused = ask(*words.split())
    assert refused.exit_code == 2
    assert message in plain(refused.output)


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run the stage `toy` with a signature and words; returns the result and the options taken."""
    file = tmp_path / "stages/toy/measure.py"
    file.parent.mkdir(parents=True)
    monkeypatch.setattr("stages.__main__.ROOT", tmp_path)
    monkeypatch.setattr("stages.__main__.command_files", lambda: command_files(tmp_path))

    def invoke(parameters: str, words: str) -> tuple[Any, list[dict]]:
        file.write_text(STAGE.format(parameters=parameters))
        calls = []
        module = SimpleNamespace(run_stage=lambda **options: calls.append(options))
        monkeypatch.setattr("stages.__main__._module", lambda file: module)
        return ask("toy", *words.split()), calls

    return invoke


@pytest.mark.parametrize(
    ("parameters", "words", "options"),
    [
        ("", "", {}),
        ("task: str", "--task a", {"task": "a"}),
        ("task: str, seed: int | None = None", "--task a", {"task": "a", "seed": None}),
        ("task: str, seed: int | None = None", "--seed 2 --task=a", {"task": "a", "seed": 2}),
        ("arm: Arm | None = None", "--arm tuned_from_random", {"arm": "tuned_from_random"}),
        ("arms: list[str] | None = None", "", {"arms": None}),
        ("arms: list[str] | None = None", "--arm tuned --arm untuned", ["tuned", "untuned"]),
        ("stimuli_set: str", "--set written", {"stimuli_set": "written"}),
        ("encoder: str, keep: bool = False", "--encoder a", {"encoder": "a", "keep": False}),
        ("encoder: str, keep: bool = False", "--encoder a --keep", {"encoder": "a", "keep": True}),
        ("other: int = 3", "--other 4", {"other": 4}),
    ],
)
def test_the_options_of_a_signature_reach_the_stage(invoke, parameters, words, options):
    result, calls = invoke(parameters, words)
    assert result.exit_code == 0, result.output
    assert calls == [{"arms": options} if isinstance(options, list) else options]


@pytest.mark.parametrize(
    ("parameters", "words", "message"),
    [
        ("task: str", "", "Missing option '--task'."),
        ("task: str", "--task a --seed 1", "No such option: --seed"),
        ("seed: int | None = None", "--seed one", "Input should be a valid integer"),
        ("arm: Arm | None = None", "--arm tunned", "'tunned' is not one of 'untuned', "),
        ("arms: list[str] | None = None", "--arm a", "'a' is none of untuned, tuned, random_weigh"),
    ],
)
def test_options_that_a_stage_does_not_take_are_refused(invoke, parameters, words, message):
    result, calls = invoke(parameters, words)
    assert result.exit_code == 2
    assert message in plain(result.output)
    assert calls == []


def test_help_has_the_docstring_without_its_sections_and_the_defaults(invoke):
    result, calls = invoke("task: str, other: int = 3", "--help")
    text = plain(result.output)
    assert "Measure something. It takes a second." in text
    assert "InputError" not in text
    assert "--task <str> A task of `tasks` in params.yaml. [required]" in text
    assert "[default: 3]" in text
    assert calls == []


def test_an_input_error_ends_the_command_with_status_2(tmp_path):
    refused = subprocess.run(
        [sys.executable, "-m", "stages", "check"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: ")
    assert "params.yaml: no such file in" in refused.stderr
