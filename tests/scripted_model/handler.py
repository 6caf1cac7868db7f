"""One connection: reads requests, asks the lanes, sends what they say."""

from __future__ import annotations

import json
import socket
import threading
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol

from tests.scripted_model.answer import Answer, NotSpoken, answer_to
from tests.scripted_model.bodies import BodyUnreadable, decoded, read_body
from tests.scripted_model.lanes import Arrival, Lanes
from tests.scripted_model.reading import ScriptInvalid, read_script
from tests.scripted_model.request import Request, estimated_tokens
from tests.scripted_model.routes import Kind, Route, route
from tests.scripted_model.script import Failure, Reply
from tests.scripted_model.secrets import (
    hidden_body,
    hidden_headers,
    hidden_target,
    secrets_in,
)
from tests.scripted_model.wires import COUNTED, MODELS, WIRES, Wire

_JSON = {"content-type": "application/json"}


class Served(Protocol):
    """What a connection needs of its server."""

    lanes: Lanes
    closing: threading.Event


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "scripted-model"
    disable_nagle_algorithm = True
    server: Served  # type: ignore[assignment]

    def handle(self) -> None:
        with suppress(ConnectionError):  # a client may leave whenever it likes
            super().handle()

    def log_message(self, *_: object) -> None:
        """Say nothing: there is a log of our own."""

    def _serve(self) -> None:
        asked = route(self.command, self.path)
        try:
            data = b"" if self.command == "CONNECT" else read_body(self.headers, self.rfile)
            arrival = self._arrival(asked, decoded(data))
        except (BodyUnreadable, RecursionError) as exc:
            self.close_connection = True  # where the next request begins is not known
            self.server.lanes.note(self._arrival(asked, None), f"unreadable: {exc}")
            self._send(400, _problem(f"the body cannot be read: {exc}"))
            return
        self._dispatch(asked, arrival, data)

    do_CONNECT = do_DELETE = do_GET = do_HEAD = do_OPTIONS = do_POST = do_PUT = _serve  # noqa: N815  the library's names

    def _arrival(self, asked: Route, body: Any) -> Arrival:  # noqa: ANN401  any JSON
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Arrival(
            at=time.time(),
            lane=asked.lane,
            method=self.command,
            path=hidden_target(self.path),
            headers=hidden_headers(headers),
            body=hidden_body(body, secrets_in(headers, self.path)),
        )

    def _dispatch(self, asked: Route, arrival: Arrival, data: bytes) -> None:
        lanes = self.server.lanes
        match asked.kind:
            case Kind.MODEL:
                self._call(asked, arrival)
            case Kind.HEALTH:
                self._send(200, {"ok": True, "requests": len(lanes.entries())})
            case Kind.LOG:
                self._send(200, [entry.plain() for entry in lanes.entries(asked.lane)])
            case Kind.SCRIPT:
                self._load(asked.lane, data)
            case Kind.COUNT | Kind.MODELS | Kind.ALIVE | Kind.OUTSIDE | Kind.NOWHERE:
                lanes.note(arrival, asked.kind)
                self._send(*self._plain(asked, data))

    def _plain(self, asked: Route, data: bytes) -> tuple[int, object]:
        match asked.kind:
            case Kind.COUNT:
                return 200, COUNTED[asked.api](estimated_tokens(data))
            case Kind.MODELS:
                return 200, MODELS
            case Kind.ALIVE:
                return 200, {}
            case Kind.OUTSIDE:
                return 403, _problem("there is no outside network here")
            case _:
                where = f"{self.command} {hidden_target(self.path)}"
                return 404, _problem(f"nothing is served at {where}")

    def _load(self, lane: str, data: bytes) -> None:
        try:
            script = read_script(json.loads(data))
        except ScriptInvalid as exc:
            self._send(400, {"problems": exc.problems})
        except (ValueError, RecursionError) as exc:
            self._send(400, {"problems": [f"not JSON: {exc}"]})
        else:
            self.server.lanes.load(lane, script)
            self._send(200, {"ok": True, "lane": lane})

    def _call(self, asked: Route, arrival: Arrival) -> None:
        wire = WIRES[asked.api]
        if not isinstance(arrival.body, Mapping):
            self.server.lanes.note(arrival, "unreadable: no JSON object")
            self._send(400, wire.error(400, "the body is not a JSON object"))
            return
        request = wire.read({**arrival.body, **asked.said})
        turn = self.server.lanes.answer(arrival, request)
        self.server.closing.wait(turn.delay)
        match turn:
            case Failure():
                self._fail(wire, turn)
            case Reply():
                self._reply(wire, request, turn, arrival)

    def _fail(self, wire: Wire, turn: Failure) -> None:
        body = wire.error(turn.status, "scripted") if turn.body is None else turn.body
        self._send(turn.status, body, turn.headers)

    def _reply(self, wire: Wire, request: Request, reply: Reply, arrival: Arrival) -> None:
        answer = answer_to(request, reply, key=uuid.uuid4().hex[:22], now=int(time.time()))
        try:
            if request.stream:
                self._stream(wire, answer, cut=reply.cut)
            else:
                self._send(200, wire.whole(answer), cut=reply.cut)
        except NotSpoken as exc:
            self.server.lanes.note(arrival, f"cannot be said: {exc}")
            self._send(400, wire.error(400, str(exc)))

    def _stream(self, wire: Wire, answer: Answer, *, cut: bool) -> None:
        frames = [event.frame for event in wire.events(answer)]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()
        for frame in [_half(b"".join(frames))] if cut else frames:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame))
        if cut:
            self._break_off()
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _send(
        self, status: int, body: object, headers: Mapping[str, str] = _JSON, *, cut: bool = False
    ) -> None:
        """Text is sent as it stands, all else as JSON."""
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (_JSON | {n.lower(): v for n, v in headers.items()}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(_half(data) if cut else data)
        if cut:
            self._break_off()

    def _break_off(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def _half(data: bytes) -> bytes:
    """The middle comes before whatever ends a stream: all APIs say that last."""
    return data[: len(data) // 2]


def _problem(message: str) -> dict[str, Any]:
    return {"error": {"type": "scripted_model", "message": message}}
