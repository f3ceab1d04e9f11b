"""A configuration so small that real DVC runs it in a minute or two."""

import os
import subprocess
import sys
from pathlib import Path

# A command of README.md.
GLUE = "cd configurations/glue && dvc repro"
CONFIGURE = "python -m tools.configurations configurations/glue"
# Of every section that has the key: so a study that is added is small by itself.
SMALL = {
    "resamples": 20,
    "examples": 6,
    "texts": 4,
    "gradient_texts": 4,
    "epochs": 1,
    "draws": 2,
    "copies": 1,
    "permutations": 50,
    "starts": 1,
}
ABLATED = {
    "examples": 12,
    "shares": [0.25, 0.5, 1.0],
    "half_shares": [0.25, 0.5],
    "draws": 2,
    "share_examples": 8,
}
# Where a key is to have another value, or one section alone has it.
SETTINGS = {
    "runtime": {"device": "cpu", "threads": 1},
    "finetune": {"batch": 16},
    "pair_baselines": {"tasks": ["mrpc"], "lstm": {"size": 4}},
    "patterns": {"examples": 4},
    "drift": {"padded_examples": 4, "padded_to": 48, "control_examples": 6},
    "ablate": {
        "modes": ["zero", "mean"],
        "sizes": {"zero": ABLATED, "mean": ABLATED},
        "for_tasks": [],
        "control": {
            "modes": ["zero"],
            "examples": 8,
            "shares": [0.5],
            "half_shares": [0.5],
            "draws": 2,
            "share_examples": 8,
        },
        "reference": 8,
    },
    "corpora": {
        "sentences": {"texts": 40, "max_length": 64},
        "pairs": {"texts": 24, "max_length": 64},
    },
    "stimuli": {"written": {"train": 60, "test": 30, "sentences": 10}},
    "text_patterns": {"texts": 2},
    "syntax": {"least_cases": 5},
    "probes": {"iterations": 3},
    "layer_probes": {"train": 40, "test": 10},
    "reading": {"head_examples": 2, "cls_examples": 4},
}


def small(parameters: dict) -> dict:
    """What to change in parameters so that every stage has little to do."""
    changes = {
        name: {key: value for key, value in SMALL.items() if key in section}
        for name, section in parameters.items()
        if isinstance(section, dict) and name not in ("tasks", "corpora", "run")
    }
    changes = {name: values for name, values in changes.items() if values}
    for name, values in SETTINGS.items():
        changes[name] = changes.get(name, {}) | values
    return changes


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
    said = f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{said}"
    return done.stdout
