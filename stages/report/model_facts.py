"""What a model is: its layers, heads and parameters, and how it was trained."""

import json
import math
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from stages.core.pages.said import counted
from stages.core.stage.files import InputError
from stages.core.verdicts.findings import Findings
from stages.core.verdicts.models import checkpoint_name
from stages.core.verdicts.setting import UNKNOWN

# Of a file of weights what no encoder needs: what predicts masked words or the next sentence.
OTHER_HEADS = ("cls.", "lm_head.", "vocab_", "discriminator_predictions.", "generator_predictions.")
# What the world calls weights that a package carries, by the SHA-256 of their file.
KNOWN_AS = {
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": (
        "sentence-transformers/all-MiniLM-L6-v2"
    ),
}
TRAINED = {
    "masked words": "trained on masked words",
    "sentence similarity": "a sentence encoder, trained on the similarity of sentences",
    "classification": "tuned as a classifier before it came here",
    "other": "trained otherwise than on masked words",
    UNKNOWN: "how it was trained is not known",
}


@dataclass(frozen=True)
class ModelFacts:
    """A model; None for what nobody says."""

    name: str
    layers: int | None
    heads: int | None
    parameters: int | None
    trained: str | None
    recorded: bool
    known_as: str | None = None

    @property
    def in_words(self) -> str:
        """One line for the top of the report."""
        parts = []
        if self.layers and self.heads:
            parts.append(f"{counted(self.layers, 'layer')} of {counted(self.heads, 'head')}")
        if self.parameters:
            parts.append(f"{self.parameters / 1e6:.1f} million parameters")
        if self.trained:
            parts.append(self.trained)
        if self.recorded:
            parts.append("its attention was recorded elsewhere")
        return "; ".join(parts)


def model_facts(findings: Findings, heads: pd.DataFrame) -> list[ModelFacts]:
    """The facts of every model that was measured.

    Args:
        heads: the table of all heads, which says how many a model has where its files do not.
    """
    own = checkpoint_name(findings.checkpoint)
    return [_facts(name, findings, heads, name == own) for name in findings.models]


def _facts(name: str, findings: Findings, heads: pd.DataFrame, own: bool) -> ModelFacts:
    layers = number = parameters = None
    rows = heads[heads["model"] == name]
    if len(rows):
        layers, number = (int(rows[column].max()) + 1 for column in ("layer", "head"))
    if own:
        with suppress(InputError, OSError):  # it may be gone since it was measured
            layers, number, parameters = of_folder(_folder(findings.checkpoint))
    of_claims = [
        finding.setting.here.training
        for finding in findings.claims.values()
        if finding.model == name and finding.setting.here.training
    ]
    trained = TRAINED[of_claims[0]] if of_claims else None
    known_as = _known_as(findings.checkpoint) if own else None
    return ModelFacts(name, layers, number, parameters, trained, not own, known_as)


def model_in_words(name: str, findings: Findings) -> str:
    """What the world calls a model, without its publisher, as sentences and cells name it."""
    if name != checkpoint_name(findings.checkpoint):
        return name
    known_as = _known_as(findings.checkpoint)
    return known_as.split("/")[-1] if known_as else name


def _known_as(checkpoint: dict[str, Any]) -> str | None:
    """The public name of the checkpoint's weights, where their sum is a known one."""
    sums = checkpoint.get("sha256") or {}
    of_files = sums.values() if isinstance(sums, dict) else [sums]  # or of the weights alone
    return next((KNOWN_AS[one] for one in of_files if one in KNOWN_AS), None)


def _folder(checkpoint: dict[str, Any]) -> Path:
    from stages.core.checkpoint_source import locate  # its imports take seconds
    from stages.core.stage.settings import SECTIONS, checked

    return locate(checked(SECTIONS["checkpoint"], checkpoint, "findings.json: `checkpoint`"))


def of_folder(folder: Path) -> tuple[int, int, int]:
    """Layers, heads of each, and parameters of the encoder in a folder of weights."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    layers = config.get("num_hidden_layers") or config["n_layers"]
    heads = config.get("num_attention_heads") or config["n_heads"]
    shapes = {}
    for file in sorted(folder.glob("model*.safetensors")):
        shapes |= _shapes(file)
    counted = [math.prod(shape) for name, shape in shapes.items() if not _of_other_heads(name)]
    return layers, heads, sum(counted)


def _of_other_heads(name: str) -> bool:
    return name.startswith(OTHER_HEADS)


def _shapes(file: Path) -> dict[str, list[int]]:
    """The shapes of the floating-point tensors of a safetensors file, of its header alone."""
    with file.open("rb") as opened:
        (length,) = struct.unpack("<Q", opened.read(8))
        header = json.loads(opened.read(length))
    return {
        name: entry["shape"]
        for name, entry in header.items()
        if name != "__metadata__" and "F" in entry["dtype"]
    }
