"""The server, and what tests use of it."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from tests.scripted_model.handler import Handler
from tests.scripted_model.lanes import Lanes
from tests.scripted_model.reading import read_script
from tests.scripted_model.request import Request
from tests.scripted_model.script import DEFAULT

HOST = "127.0.0.1"
_POLL_SECONDS = 0.05  # how soon a server that is told to stop does so


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, lanes: Lanes, *, port: int = 0) -> None:
        self.lanes = lanes
        self.closing = threading.Event()
        super().__init__((HOST, port), Handler)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def server_close(self) -> None:
        self.closing.set()  # ends all delays
        super().server_close()


class Lane:
    """A client's own model: its base URL, its script, what it was asked."""

    def __init__(self, server: Server, name: str) -> None:
        self.url = f"{server.url}/s/{quote(name, safe='')}"
        self._lanes = server.lanes
        self._name = name

    def script(
        self,
        *,
        turns: Sequence[Mapping[str, Any]] | None = None,
        rules: Sequence[Mapping[str, Any]] | None = None,
        side: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin anew with this script; raises ScriptInvalid, and then the old one goes on."""
        given = {"turns": turns, "rules": rules, "side": side}
        plain = {name: part for name, part in given.items() if part is not None}
        self._lanes.load(self._name, read_script(plain))

    @property
    def requests(self) -> tuple[Request, ...]:
        """All that the model was asked in this lane, in order."""
        entries = self._lanes.entries(self._name)
        return tuple(entry.request for entry in entries if entry.request is not None)


class Models:
    """A running server."""

    def __init__(self, server: Server) -> None:
        self.url = server.url
        self._server = server

    def lane(self, name: str) -> Lane:
        if not name:
            raise ValueError("a lane has a name")
        return Lane(self._server, name)


@contextmanager
def serving() -> Iterator[Models]:
    """Serve on a free port of loopback, in a thread, until the block ends."""
    with Server(Lanes(DEFAULT)) as server:
        options = {"poll_interval": _POLL_SECONDS}
        thread = threading.Thread(target=server.serve_forever, kwargs=options, daemon=True)
        thread.start()
        try:
            yield Models(server)
        finally:
            server.shutdown()
            thread.join()
