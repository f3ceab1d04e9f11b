"""Sections that are known without importing the rooms are those that the rooms declare."""

import subprocess
import sys

from tools.pipeline import ROOT

COMPARED = """
import importlib, sys
from pathlib import Path
from pydantic import TypeAdapter
import stages
from stages.check.declared import sections

declared = dict(sections())
heavy = {"transformers", "sklearn", "altair"} & sys.modules.keys()
assert not heavy, f"checking settings imports {heavy}"
for file in sorted(Path(stages.__file__).parent.rglob("*.py")):
    if not file.stem.startswith("__"):
        parts = file.relative_to(Path(stages.__file__).parents[1]).with_suffix("").parts
        importlib.import_module(".".join(parts))
imported = sections()
assert declared.keys() == imported.keys() and len(declared) > 30
same = [name for name in declared if declared[name] is imported[name]]
# Those of modules that `declared` imports itself; all others must have been read from the source.
print(len(declared) - len(same))
for name in declared:
    one, other = (TypeAdapter(kind[name]).json_schema() for kind in (declared, imported))
    assert one == other, name
"""


def test_sections_read_from_the_source_are_those_of_the_rooms():
    done = subprocess.run(
        [sys.executable, "-c", COMPARED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 25
