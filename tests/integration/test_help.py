"""`--help` of every command imports none of the libraries that take seconds."""

import subprocess
import sys
from pathlib import Path

import pytest

from stages.core.stage.files import read_yaml
from tools.pipeline import ROOT, definition, stage_module

COMMANDS = sorted(
    {
        stage_module(definition(stage)["cmd"])
        for stage in read_yaml(ROOT / "dvc.yaml")["stages"].values()
    }
)
HEAVY = ("torch", "transformers", "pandas", "scipy", "altair", "sklearn")
# Runs a module's command with --help, and then says which of the heavy libraries it has imported.
ASK = """
import runpy, sys
module, *heavy = sys.argv[1:]
sys.argv = [module, "--help"]
try:
    runpy.run_module(module, run_name="__main__", alter_sys=True)
except SystemExit as end:
    assert not end.code, end.code
print("imported:", *(name for name in heavy if name in sys.modules))
"""


@pytest.mark.parametrize("module", COMMANDS)
def test_help_is_at_once(module):
    asked = subprocess.run(
        [sys.executable, "-c", ASK, module, *HEAVY],
        cwd=Path(ROOT),
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    assert "Usage" in asked.stdout
    assert asked.stdout.splitlines()[-1].split() == ["imported:"]
