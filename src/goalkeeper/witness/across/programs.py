"""Programs that tests start run beside the product: where the tests run there is no product."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import socket
import subprocess
import time
from functools import partialmethod
from typing import Any

_PACKET = 1 << 20
_LONGEST_NAP = 0.02
_sleep, _clock = time.sleep, time.monotonic  # tests may replace them


class Starter:
    """It takes the place of the part of `subprocess.Popen` that starts and awaits programs."""

    def __init__(self, end: socket.socket, side: Any) -> None:  # noqa: ANN401
        self._end = end
        self._side = side

    def take_over(self) -> None:
        popen: Any = subprocess.Popen
        popen._execute_child = partialmethod(_swap, self._start)  # noqa: SLF001
        popen._internal_poll = partialmethod(_swap, self._poll)  # noqa: SLF001
        popen._wait = partialmethod(_swap, self._wait)  # noqa: SLF001
        popen.send_signal = partialmethod(_swap, self._signal)
        os.system = lambda command: subprocess.call(command, shell=True) << 8  # noqa: S602

    def _ask(self, asked: dict[str, Any], files: tuple[int, ...] = ()) -> dict[str, Any]:
        try:
            socket.send_fds(self._end, [json.dumps(asked).encode()], files)
            told = json.loads(self._end.recv(_PACKET))
        except (OSError, ValueError) as exc:
            raise self._side.lose(f"programs cannot be started any more: {exc}") from None
        return told if isinstance(told, dict) else {}

    def _start(self, child: Any, *given: Any) -> None:  # noqa: ANN401
        args, executable, before, _, kept, cwd, env = given[:7]
        shell, reading, _, _, writing, _, failing = given[9:16]
        if before is not None or kept:
            raise self._side.refuse("a program is started with preexec_fn or pass_fds")
        words = [args] if isinstance(args, (str, bytes, os.PathLike)) else [*args]
        words = ["/bin/sh", "-c", *words] if shell else words
        argv = [os.fsdecode(word) for word in words]
        for word in argv:
            self._side.lend(word)
        asked = {
            "argv": argv,
            "executable": executable and os.fsdecode(executable),
            "cwd": os.fsdecode(cwd or os.getcwd()),
            "env": {os.fsdecode(k): os.fsdecode(v) for k, v in _choose_variables(env).items()},
            "root": self._side.root,
        }
        nowhere = os.open(os.devnull, os.O_RDWR)  # what tests inherit is the judge's own
        try:
            files = tuple(nowhere if fd == -1 else fd for fd in (reading, writing, failing))
            told = self._ask(asked, files)
        finally:
            os.close(nowhere)
        if "pid" not in told:
            number = int(told.get("errno") or errno.ENOENT)
            raise OSError(number, os.strerror(number), told.get("filename"))
        child.pid, child._child_created = int(told["pid"]), True  # noqa: SLF001
        child._close_pipe_fds(*given[10:16])  # noqa: SLF001

    def _poll(self, child: Any, **_: Any) -> int | None:  # noqa: ANN401
        if child.returncode is None:
            status = self._ask({"poll": child.pid}).get("status")
            child.returncode = None if status is None else int(status)
        return child.returncode  # type: ignore[no-any-return]

    def _wait(self, child: Any, timeout: float | None) -> int:  # noqa: ANN401
        until = None if timeout is None else _clock() + timeout
        nap = 0.0005
        while (code := self._poll(child)) is None:
            if until is not None and _clock() > until:
                raise subprocess.TimeoutExpired(child.args, timeout or 0.0)
            _sleep(nap)
            nap = min(2 * nap, _LONGEST_NAP)
        return code

    def _signal(self, child: Any, number: int) -> None:  # noqa: ANN401
        if self._poll(child) is None:
            self._ask({"kill": child.pid, "signal": int(number)})


def _choose_variables(env: Any) -> dict[Any, Any]:  # noqa: ANN401
    return {k: v for k, v in (env or os.environ).items() if "GOALKEEPER_" not in os.fsdecode(k)}


def _swap(child: Any, method: Any, *args: Any, **named: Any) -> Any:  # noqa: ANN401
    return method(child, *args, **named)


def start_programs(end: socket.socket, product: int, root: str) -> None:
    """Start programs for the tests, until they or the product's process end."""
    waking, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    started: dict[int, subprocess.Popen[bytes]] = {}
    while not os.waitpid(product, os.WNOHANG)[0]:
        ready, _, _ = select.select([end.fileno(), waking], [], [])
        if waking in ready:
            os.read(waking, _PACKET)
        if end.fileno() in ready:
            data, files, _, _ = socket.recv_fds(end, _PACKET, 3)
            if not data:
                return
            end.send(json.dumps(_serve_program(json.loads(data), files, started, root)).encode())


def _serve_program(
    asked: dict[str, Any], files: list[int], started: dict[int, subprocess.Popen[bytes]], root: str
) -> dict[str, Any]:
    if "poll" in asked:
        return {"status": started[asked["poll"]].poll()}
    if "kill" in asked:
        started[asked["kill"]].send_signal(asked["signal"])
        return {}
    there = asked["root"]
    try:
        child = subprocess.Popen(
            [word.replace(there, root) for word in asked["argv"]],
            executable=asked["executable"],
            cwd=asked["cwd"].replace(there, root),
            env={
                **{name: v for name, v in os.environ.items() if name.startswith("GOALKEEPER_")},
                **{name: value.replace(there, root) for name, value in asked["env"].items()},
            },
            stdin=files[0],
            stdout=files[1],
            stderr=files[2],
        )
    except OSError as exc:
        return {"errno": exc.errno, "filename": exc.filename}
    finally:
        for file in files:
            os.close(file)
    started[child.pid] = child
    return {"pid": child.pid}
