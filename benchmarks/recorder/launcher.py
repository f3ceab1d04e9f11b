"""The shell by which DVC runs the command of a stage: it notes begin, end and processor time.

Run by Python without its site packages, so that it starts in hundredths of a second.
"""

import json
import os
import signal
import subprocess
import sys
import time


def note(line: dict) -> None:
    """Append one line, in one write."""
    with open(os.path.join(os.environ["REBUILD_RECORD"], "commands.jsonl"), "a") as file:
        file.write(json.dumps(line) + "\n")


def main() -> None:
    """Run `-c COMMAND` by the system's shell; end as it ends."""
    # A handler of our own: an interrupted stage ends by itself, and its end is noted.
    signal.signal(signal.SIGINT, lambda *unused: None)
    begin = time.monotonic()
    key = {"stage": os.environ["DVC_STAGE"], "begin": begin, "repro": os.environ["REBUILD_REPRO"]}
    note(key)
    process = subprocess.Popen(["/bin/sh", *sys.argv[1:]], close_fds=False)
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    note({**key, "end": time.monotonic(), "cpu": cpu, "status": code})
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
