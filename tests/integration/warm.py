"""`python -m MODULE` in a process forked from one that has imported the libraries already.

A stage of a small configuration spends most of its time on imports. `warm_python` puts a `python`
of its own first on the path: it hands its words, folder, environment and streams to a server, which
forks, and ends as the fork does. The project's own modules are imported in the fork.
"""

import contextlib
import gc
import importlib
import json
import multiprocessing.context
import os
import runpy
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

IMPORTED = (
    "altair",
    "datasets",
    "nltk",
    "pandas",
    "scipy.stats",
    "sklearn.linear_model",
    "spacy",
    "statsmodels.api",
    "torch",
    "transformers.models.auto.modeling_auto",
    "transformers.models.bert.modeling_bert",
    "transformers.trainer",
    "typer",
)
STREAMS = (0, 1, 2)
LONGEST = 1 << 20  # bytes of a request
READY = b"+"


@contextlib.contextmanager
def warm_python(folder: Path, environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """The environment with which commands find that `python` first, while the context lasts.

    Args:
        environment: what libraries and Python itself read when they start.
    """
    address, shim = folder / "socket", folder / "python"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "{__file__}" "{address}" "$@"\n')
    shim.chmod(0o755)
    command = [sys.executable, __file__, str(address)]
    with subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.read(1) == READY
            path = (str(folder), str(Path(sys.executable).parent), os.environ["PATH"])
            yield environment | {"PATH": os.pathsep.join(path)}
        finally:
            server.terminate()


def serve(address: str) -> None:
    """Fork for every request, until terminated."""
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()  # or every fork would look for garbage among the libraries
    # Processes that modules start are forks too; tests of their rooms start them as users do.
    fork = multiprocessing.context.ForkContext()
    multiprocessing.context._concrete_contexts |= {"spawn": fork, "forkserver": fork}
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # of forks nobody waits for
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        os.write(1, READY)
        while True:
            connection, _ = listening.accept()
            with connection:
                if not os.fork():
                    listening.close()
                    answer(connection)


def answer(connection: socket.socket) -> None:
    """Run what a request asks for as `python -m` would, send its exit status and end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    content, streams, _, _ = socket.recv_fds(connection, LONGEST, len(STREAMS))
    request = json.loads(content)
    for own, stream in zip(STREAMS, streams, strict=True):
        os.dup2(stream, own)
        os.close(stream)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path.insert(0, request["folder"])
    module, sys.argv = request["words"][1], request["words"][1:]
    status: object = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(bytes([status if isinstance(status, int) else 1]))
    os._exit(0)


def ask(address: str, words: list[str]) -> int:
    """The exit status of `python WORDS`, run by the server."""
    if words[:1] != ["-m"]:
        os.execv(sys.executable, [sys.executable, *words])
    request = {"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [json.dumps(request).encode()], STREAMS)
        return (connection.recv(1) or b"\1")[0]  # nothing where the fork was killed


if __name__ == "__main__":
    if sys.argv[2:]:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
    sys.path.pop(0)  # this folder
    serve(sys.argv[1])
