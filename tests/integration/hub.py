"""A stand-in for the Hugging Face Hub on the loopback: its protocol, over a folder of files."""

import contextlib
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = r"[\w-]+/[\w-]+"


class HubHandler(BaseHTTPRequestHandler):
    """Serves ROOT/datasets/ORG/NAME and ROOT/models/ORG/NAME, each at one commit called `main`."""

    protocol_version = "HTTP/1.1"
    root: Path

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        for pattern, answer in (
            (rf"/api/(datasets|models)/({NAME})/revision/(\w+)()", self.describe),
            (rf"/api/(datasets|models)/({NAME})/tree/(\w+)/?(.*)", self.list_files),
            (rf"/(?:(datasets)/)?({NAME})/resolve/(\w+)/(.+)", self.send_file),
        ):
            if match := re.fullmatch(pattern, path):
                folder = self.root / (match[1] or "models") / match[2]
                if not folder.is_dir():
                    return self.refuse("RepoNotFound")
                if match[3] not in ("main", COMMIT):
                    return self.refuse("RevisionNotFound")
                return answer(folder, match[4])
        return self.refuse("EntryNotFound")

    do_HEAD = do_GET

    def describe(self, folder: Path, _: str) -> None:
        names = [{"rfilename": name} for name in self.names(folder)]
        self.answer({"id": folder.name, "sha": COMMIT, "siblings": names})

    def list_files(self, folder: Path, under: str) -> None:
        names = [name for name in self.names(folder) if name.startswith(under)]
        if not names:
            return self.refuse("EntryNotFound")
        return self.answer(
            [
                {
                    "type": "file",
                    "path": name,
                    "size": (folder / name).stat().st_size,
                    "oid": hashlib.sha1((folder / name).read_bytes()).hexdigest(),
                }
                for name in names
            ]
        )

    def send_file(self, folder: Path, name: str) -> None:
        if name not in self.names(folder):
            return self.refuse("EntryNotFound")
        content = (folder / name).read_bytes()
        tag = hashlib.sha256(content).hexdigest()
        return self.send(200, content, {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT})

    @staticmethod
    def names(folder: Path) -> list[str]:
        return sorted(
            path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
        )

    def answer(self, value: Any) -> None:
        self.send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def refuse(self, code: str) -> None:
        self.send(404, b"{}", {"X-Error-Code": code, "Content-Type": "application/json"})

    def send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *unused: object) -> None:
        pass


@contextlib.contextmanager
def serving(root: Path) -> Iterator[str]:
    """The address of a Hub that serves ROOT while the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (HubHandler,), {"root": root}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
