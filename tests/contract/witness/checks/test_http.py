"""`http`: a real server, started and stopped by the check."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.core.contract.criteria import Verdict
from tests.contract.witness.checks.places import Bench

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN

SERVER = """
import http.server, os, sys, time
port, how = int(sys.argv[1]), sys.argv[2]
open("pid", "w").write(str(os.getpid()))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if how == "garbage":
            self.wfile.write(b"this is not HTTP\\r\\n")
            return
        if how == "hangs":
            time.sleep(60)
        self.send_response(404 if self.path == "/gone" else 200)
        self.end_headers()
        self.wfile.write(("a line\\nhealth: good\\n").encode())
if how == "dies":
    sys.exit(3)
time.sleep(0.3 if how == "late" else 0)
print("listening", flush=True)
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    return number


def argv(port: int, how: str = "well") -> list[str]:
    return [sys.executable, "server.py", str(port), how]


@pytest.fixture
def bench(bench: Bench) -> Bench:
    bench.write("server.py", SERVER)
    return bench


@pytest.mark.parametrize(
    ("how", "path", "options", "verdict", "reason"),
    [
        ("well", "/", {}, P, "status 200"),
        ("late", "/", {}, P, "status 200"),
        ("well", "", {"body": "^health: good$"}, P, "status 200"),
        ("well", "/", {"body": "bad"}, F, "the body does not match bad"),
        ("well", "/gone", {"status": 404}, P, "status 404"),
        ("well", "/gone", {}, F, "status 404, expected 200"),
        ("dies", "/", {}, F, "no answer within 20 s; the server ended with 3"),
        ("hangs", "/", {"wait": 1}, F, "no answer within 1 s"),
        ("garbage", "/", {"wait": 1}, F, "no answer within 1 s"),
    ],
)
def test_a_server_answers_or_not(
    *,
    how: str,
    path: str,
    options: dict[str, Any],
    verdict: Verdict,
    reason: str,
    bench: Bench,
    port: int,
) -> None:
    seen = bench.see("http", argv(port, how), url=f"http://127.0.0.1:{port}{path}", **options)

    assert (seen.verdict, seen.reason) == (verdict, reason), seen
    pid = bench.root / "pid"  # it may have been stopped before it could write it
    assert not pid.exists() or not pid.read_text() or not Path("/proc", pid.read_text()).exists()


@contextmanager
def listening(port: int) -> Iterator[None]:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        yield


def test_a_port_that_somebody_else_has_tells_nothing(bench: Bench, port: int) -> None:
    with listening(port):
        seen = bench.see("http", argv(port), url=f"http://127.0.0.1:{port}/", wait=1)

    assert seen.verdict is U, seen
    assert "something else answers" in seen.reason
    assert not (bench.root / "pid").exists()


def test_a_server_that_cannot_be_started_tells_nothing(bench: Bench, port: int) -> None:
    seen = bench.see("http", ["no-such-server"], url=f"http://127.0.0.1:{port}/")

    assert seen.verdict is U, seen


def test_a_server_that_takes_too_long_tells_nothing(bench: Bench, port: int) -> None:
    url = f"http://127.0.0.1:{port}/"

    assert bench.see("http", argv(port, "hangs"), url=url, wait=30, timeout=1).verdict is U
