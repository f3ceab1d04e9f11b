"""Encoders that `python -m stages pretrain --keep` made: a folder each, which says how."""

import hashlib
import json
from pathlib import Path
from typing import Any

from stages.core.stage.files import InputError

KEPT = Path("data/pretrained")
FACTS_FILE = "settings.json"


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file but that which holds these."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != FACTS_FILE)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def read_facts(folder: Path) -> dict[str, Any]:
    """What a folder says of its encoder's making.

    Raises:
        InputError: there is none, or its files are not those that were written with it.
    """
    if not (folder / FACTS_FILE).is_file():
        raise InputError(
            f"{folder}: no encoder is kept there; make it (hours): python -m stages pretrain "
            f"--encoder {folder.name} --keep"
        )
    facts = json.loads((folder / FACTS_FILE).read_text(encoding="utf-8"))
    found = hashes(folder)
    changed = sorted(
        name for name in {*facts["sha256"], *found} if facts["sha256"].get(name) != found.get(name)
    )
    if changed:
        raise InputError(
            f"{folder / changed[0]} is not the file that {FACTS_FILE} has the SHA-256 of; take the "
            "whole folder from one place"
        )
    return facts


def fingerprint(facts: dict[str, Any]) -> str:
    """A short name of an encoder's making: of its text and its settings."""
    identity = json.dumps([facts["text"]["sha256"], facts["settings"]], sort_keys=True)
    return hashlib.sha256(identity.encode()).hexdigest()[:12]
