"""Long computations in pieces: finished pieces stay on disk until their stage is done.

A stage that is killed starts anew, but takes pieces of the same computation from the disk. DVC
removes the outs of a stage before it runs, so pieces lie in `work/scratch`, which no stage lists.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tqdm import tqdm

from stages.core.closure import code_run_by
from stages.core.encoder.batches import Encoded
from stages.core.fan_out import Shared, fan_out
from stages.core.runtime.runtime import Runtime, find_device
from stages.core.scratch import fingerprint, open_scratch
from stages.core.stage.files import atomic, remove
from stages.core.stage.places import SCRATCH

Arrays = tuple[np.ndarray, ...]


@contextmanager
def resumable(*names: str) -> Iterator[Path]:
    """Yield the folder of a stage's pieces; remove it when the stage is done."""
    folder = SCRATCH.joinpath(*names)
    yield folder
    remove(folder)


def run_pieces(
    function: Callable[[Any, Any], Arrays],
    shared: Shared,
    jobs: Mapping[str, Any],
    runtime: Runtime,
    folder: Path,
) -> Iterator[Arrays]:
    """Yield `function(shared, job)` of every job, in their order, when all are done.

    Args:
        jobs: by the names of their files in `folder`; a job that has its file there is not run.
        runtime: says where the pieces run.
        folder: see `open_pieces`.
    """
    files = {name: folder / f"{name}.npz" for name in jobs}
    missing = [(name, job) for name, job in jobs.items() if not files[name].exists()]
    done = len(jobs) - len(missing)
    with tqdm(total=len(jobs), initial=done, desc=folder.parent.name) as bar:
        for (name, _), arrays in fan_out(partial(_of_job, function), shared, missing, runtime):
            with atomic(files[name]) as partial_file, open(partial_file, "wb") as stream:
                np.savez(stream, *arrays)
            bar.update()
    for file in files.values():
        with np.load(file) as arrays:
            yield tuple(arrays.values())


def open_pieces(run: Path, identity: Any, model: Path, module: str, runtime: Runtime) -> Path:
    """The folder in `run` for pieces of one computation; pieces of others are removed.

    Args:
        identity: settings and inputs of the computation, as JSON has them.
        model: folder that the model was loaded from.
        module: the computation's, as its `__name__`; pieces of other code are of no use.
    """
    place = [find_device(runtime.device).type, torch.__version__, transformers.__version__]
    loaded = sorted([*model.glob("model*.safetensors"), *model.glob("config.json")])
    folder = run / fingerprint([identity, place], [*loaded, *code_run_by(module)])
    open_scratch(folder)
    return folder


def digest_of(encoded: Encoded) -> dict[str, str]:
    """For each input of texts the SHA-256 of its numbers and of the texts' lengths."""
    return {
        name: hashlib.sha256(
            np.fromiter(chain(map(len, rows), chain.from_iterable(rows)), np.int64).tobytes()
        ).hexdigest()
        for name, rows in encoded.inputs.items()
    }


def _of_job(function: Callable[[Any, Any], Arrays], shared: Shared, job: tuple[str, Any]) -> Arrays:
    return function(shared, job[1])
