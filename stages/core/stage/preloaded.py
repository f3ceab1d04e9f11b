"""A process that has loaded the libraries already, of which DVC's stages are forked.

Loading torch and transformers takes some three seconds, and `dvc repro` starts Python for every
stage. The first stage leaves a process behind that loads them beside it, and nothing of this
project; each further one hands it its words, folder, environment and streams, and ends as the fork
does. A process serves only stages whose environment is its own, and ends when it has had nothing
to do for half a minute. Elsewhere than on Linux, without a process that has loaded everything, or
with `STAGE_PRELOAD=0`, a stage runs by itself as ever.
"""

import gc
import hashlib
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import threading
from contextlib import suppress

LOADED = (
    "pandas",
    "pyarrow.parquet",
    "torch",
    "tqdm",
    "transformers.masking_utils",
    "transformers.models.auto.modeling_auto",
    "transformers.models.auto.tokenization_auto",
    "transformers.models.bert.modeling_bert",
    "typer",
)
SWITCH = "STAGE_PRELOAD"
FORK = "STAGE_FORK"  # the fork's own number; processes that it starts have another
STAGE = "DVC_STAGE"
# What differs from command to command, and no library reads.
OWN = {STAGE, FORK, "_", "SHLVL", "PWD", "OLDPWD", "COLUMNS", "LINES"}
IDLE_SECONDS = 30
STREAMS = (0, 1, 2)
LONGEST = 1 << 22  # bytes of a request
CREDENTIALS = struct.Struct("3i")  # process, user, group
NUMBER = struct.Struct("i")


def run_preloaded() -> int | None:
    """Run this command in a fork of the process that is for it, and return its exit status.

    None where it has to run here: no such process is ready (one is started then), or this is the
    fork.
    """
    if sys.platform != "linux" or os.environ.get(SWITCH) == "0" or is_fork():
        return None
    spec = sys.modules["__main__"].__spec__
    if spec is None:  # no `python -m`
        return None
    request = {
        "module": spec.name.removesuffix(".__main__"),
        "words": sys.argv[1:],
        "folder": os.getcwd(),
        "environment": dict(os.environ),
    }
    name = address()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        try:
            connection.connect(name)
            if _user(connection) != os.getuid():
                return None
            socket.send_fds(connection, [json.dumps(request).encode()], STREAMS)
            process = connection.recv(NUMBER.size)
        except OSError:
            process = b""
        if not process:
            _begin(name)
            return None
        return _followed(connection, *NUMBER.unpack(process))


def is_fork() -> bool:
    """Whether this process is the fork that runs a stage's command."""
    return os.environ.get(FORK) == str(os.getpid())


def address() -> str:
    """The abstract socket of the process that is for commands like this one.

    Libraries read the environment when they are loaded, so that another one has another process;
    so have another user, processors or priority, and packages that were installed since.
    """
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    umask = os.umask(0)
    os.umask(umask)
    facts = [
        sys.executable,
        os.stat(sysconfig.get_paths()["purelib"]).st_mtime_ns,
        sorted(environment.items()),
        [os.getuid(), os.getgid(), umask, os.nice(0)],
        sorted(os.sched_getaffinity(0)),
    ]
    return "\0stages-" + hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _begin(name: str) -> None:
    """Start the process for an address; where there is one that still loads, it ends at once."""
    quiet = subprocess.DEVNULL
    subprocess.Popen(
        [sys.executable, __file__, name.removeprefix("\0")],
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    )


def _followed(connection: socket.socket, process: int) -> int:
    """Wait for the fork and return its exit status; what interrupts this process interrupts it."""
    while True:
        try:
            status = connection.recv(NUMBER.size)
            break
        except KeyboardInterrupt:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGINT)
    (code,) = NUMBER.unpack(status) if status else (-signal.SIGKILL,)
    if code < 0:  # by a signal, as this process then does
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _user(connection: socket.socket) -> int:
    """The user of the process at the other end."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    return CREDENTIALS.unpack(found)[1]


def serve(name: str, idle_seconds: float = IDLE_SECONDS) -> None:
    """Load the libraries, then fork for every request until there are none for so long.

    Returns in the forks only by the exceptions with which their commands end.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        listening.bind(name)
    except OSError:  # another process is there, though it may not have loaded everything
        return
    os.environ.pop(STAGE, None)
    gc.disable()
    for library in LOADED:
        importlib.import_module(library)
    gc.freeze()  # a fork that looked through these objects would copy their memory
    gc.enable()
    listening.listen()
    with selectors.DefaultSelector() as waiting:
        waiting.register(listening, selectors.EVENT_READ)
        while (ready := waiting.select(idle_seconds)) or len(waiting.get_map()) > 1:
            for key, _ in ready:
                if key.fileobj is not listening:
                    waiting.unregister(key.fileobj)
                    _tell_end(key.fd, *key.data)
                    continue
                connection, _ = listening.accept()
                if _user(connection) != os.getuid():
                    connection.close()
                    continue
                process = os.fork()
                if not process:
                    waiting.close()
                    listening.close()
                    _answer(connection)
                with suppress(OSError):  # who asks may be gone, and then the fork soon is
                    connection.send(NUMBER.pack(process))
                watched = os.pidfd_open(process)
                waiting.register(watched, selectors.EVENT_READ, (process, connection))


def _tell_end(watched: int, process: int, connection: socket.socket) -> None:
    """Send the exit status of a fork that ended, negative where a signal ended it."""
    os.close(watched)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with connection, suppress(OSError):  # who asked may be gone
        connection.send(NUMBER.pack(code))


def _answer(connection: socket.socket) -> None:
    """Run what a request asks for as `python -m` would, in this process, and end it."""
    content, streams, _, _ = socket.recv_fds(connection, LONGEST, len(STREAMS))
    request = json.loads(content)
    for own, stream in zip(STREAMS, streams, strict=True):
        os.dup2(stream, own)
        os.close(stream)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"] | {FORK: str(os.getpid())})
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    sys.path.insert(0, request["folder"])
    sys.argv[1:] = request["words"]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    sys.exit()


def _end_with(connection: socket.socket) -> None:
    """End this process when the one that asked for it is gone, however that ended."""
    connection.recv(1)
    os._exit(1)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, of which nothing is to be loaded
    serve("\0" + sys.argv[1])
