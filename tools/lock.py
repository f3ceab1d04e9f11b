"""Is a committed `dvc.lock` what these sources and parameters give? Checked without any data.

`dvc repro --allow-missing --dry` knows for every stage but those that depend on a folder gathered
from many stages' outputs. The hash of such a folder follows from the hashes of its files, all of
which the lock holds, so it can be computed and compared.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
DVC = [sys.executable, "-m", "dvc"]


def folder_hash(files: dict[str, str]) -> str:
    """DVC's hash of a folder that holds `files` (relative path -> MD5)."""
    entries = [{"md5": files[path], "relpath": path} for path in sorted(files)]
    return hashlib.md5(json.dumps(entries).encode()).hexdigest() + ".dir"


def folder_complaints(lock: dict) -> list[str]:
    """One line for each gathered folder whose hash is not that of the outputs inside of it."""
    made = {out["path"]: out["md5"] for stage in lock.values() for out in stage.get("outs", [])}
    complaints = []
    for name, stage in lock.items():
        for dep in stage.get("deps", []):
            prefix = f"{dep['path']}/"
            inside = {
                path.removeprefix(prefix): md5
                for path, md5 in made.items()
                if path.startswith(prefix)
            }
            if inside and dep["md5"] != folder_hash(inside):
                complaints.append(
                    f"{name}: {dep['path']} is not what the {len(inside)} outputs in it add up to; "
                    "run dvc repro, and remove files there that no stage makes any more"
                )
    return complaints


def complaints(folder: Path) -> list[str]:
    """Everything that is wrong with `folder/dvc.lock`, in words; empty when nothing is."""
    complaints = folder_complaints(YAML(typ="safe").load(folder / "dvc.lock")["stages"])
    dry = subprocess.run(
        [*DVC, "repro", "--allow-missing", "--dry"], cwd=folder, capture_output=True, text=True
    )
    if dry.returncode:
        complaints.append(f"dvc repro --dry failed: {dry.stderr.strip()}")
    complaints += [line for line in dry.stdout.splitlines() if line.startswith("Running stage")]
    return complaints


if __name__ == "__main__":
    found = [
        complaint for folder in sys.argv[1:] or ["."] for complaint in complaints(Path(folder))
    ]
    print("\n".join(found) or "dvc.lock is up to date")
    sys.exit(bool(found))
