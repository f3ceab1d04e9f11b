"""A configuration so small that real DVC runs it in a minute or two."""

import os
import subprocess
import sys
from pathlib import Path

# Commands of README.md.
GLUE = "cd configurations/glue && dvc repro"
SIDE_BY_SIDE = (
    "dvc stage list --name-only | grep '^finetune@' | "
    "xargs -P 2 -I{} dvc -q --wait-for-lock repro -s {}"
)
SETTINGS = {
    "runtime": {"device": "cpu", "threads": 1},
    "finetune": {"epochs": 1, "batch": 16},
    "attend": {"examples": 6},
    "classifier": {"epochs": 1, "networks": 1, "copies": 1},
    "patterns": {"examples": 4, "resamples": 20},
    "findings": {"resamples": 50},
    "drift": {"padded_examples": 4, "padded_to": 48, "resamples": 20},
    "ablate": {
        "modes": ["zero", "mean"],
        "examples": 12,
        "reference": 8,
        "shares": [0.5, 1.0],
        "draws": 2,
        "share_examples": 8,
    },
    "control": {"modes": ["zero"], "examples": 8, "resamples": 20},
    "effects": {"resamples": 20},
    "importance": {"resamples": 20},
    "encoder": {"arms": ["pretrained", "untrained"]},
    "corpora": {"sentences": {"texts": 40, "max_length": 64}, "pairs": {"texts": 24}},
    "surface": {"gradient_texts": 4, "resamples": 20},
    "text_patterns": {"texts": 2, "resamples": 20},
    "gradients": {"examples": 6, "resamples": 20},
    "syntax": {"least_cases": 5, "resamples": 20},
    "coreference": {"resamples": 20},
    "frames": {"resamples": 20},
    "pairs": {"resamples": 20},
    "features": {"examples": 6, "resamples": 20},
    "probes": {"epochs": 2, "resamples": 20},
    "clusters": {"texts": 4, "permutations": 50, "starts": 1},
    "neurons": {"texts": 4, "resamples": 20},
}


def merge(target: dict, changes: dict) -> None:
    """Put nested `changes` into `target`; every key must be there already."""
    for key, value in changes.items():
        assert key in target, key
        if isinstance(value, dict):
            merge(target[key], value)
        else:
            target[key] = value


def run(folder: Path, *command: str, **environment: str) -> str:
    """Run a command with this Python's `python` and `dvc` first on the path; return its output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path, "OMP_WAIT_POLICY": "PASSIVE"} | environment,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout
