"""Acts for rehearsals that only tests need: floods, garbage, deaths, and what is left behind.

A script names this file under `acts`; the agent that plays it loads it.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable

from goalkeeper.rehearsal.acts import (
    make_choice,
    make_number,
    read_any_text,
    read_argument,
    read_seconds,
    take_fields,
    take_value,
)
from goalkeeper.rehearsal.stage import RehearsalStage

DEADLY = ("SIGABRT", "SIGHUP", "SIGINT", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSEGV", "SIGTERM")
_MB = 1 << 20
_MOST_MB = 4096
_LEAST_LINE_MB = 0.001
_GARBAGE = (
    b"\xff\xfe\xc3\x28 not UTF-8\n"
    b"\x1b[31mred\x1b[0m\x1b[2K\r\x1b]0;title\x07\n"
    b'{"type":"result","ending":"ok","usa\n'
)
_GONE, _HERE = os.pipe()  # nobody but the agent's own process holds the second


def print_flood(stage: RehearsalStage, mb: float, line_mb: float) -> None:
    size, line_size = int(mb * _MB), int(line_mb * _MB)
    head, tail = b'{"type":"flood","text":"', b'"}\n'
    for begin in range(0, size, line_size):
        left = min(line_size, size - begin) - len(head) - len(tail)
        stage.print_bytes(head)
        while left > 0:
            stage.print_bytes(b"x" * min(left, _MB))
            left -= _MB
        stage.print_bytes(tail)


def die_of(_stage: RehearsalStage, name: str) -> None:
    # A core file would be a change of the tree.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    number = signal.Signals[name]
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def ignore_term(_stage: RehearsalStage) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def leave_process(stage: RehearsalStage, seconds: float, pid_file: str) -> None:
    stage.use_tool("fork", pid_file)
    pid = leave_behind(lambda: time.sleep(seconds))
    write_file(pid_file, str(pid))


def write_late(stage: RehearsalStage, seconds: float, path: str, text: str) -> None:
    def work() -> None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        os.read(_GONE, 1)  # until the agent has ended
        time.sleep(seconds)
        write_file(path, text)

    stage.use_tool("late", path)
    leave_behind(work)


def write_file(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(text.encode())


def leave_behind(work: Callable[[], None]) -> int:
    """Do it in a process of its own session that has lost its parent, and return its pid."""
    from_middle, to_agent = os.pipe()
    middle = os.fork()
    if middle == 0:
        try:
            os.close(_HERE)
            os.setsid()
            orphan = os.fork()
            if orphan:
                os.write(to_agent, str(orphan).encode())
            else:
                os.close(to_agent)
                work()
        finally:
            os._exit(0)  # whatever happened, the play is not theirs
    os.close(to_agent)
    os.waitpid(middle, 0)
    told = os.read(from_middle, 32)
    os.close(from_middle)
    if not told:
        raise ChildProcessError("no process could be left behind")
    return int(told)


ACTS = {
    "flood": take_fields(
        print_flood, mb=make_number(0, _MOST_MB), line_mb=make_number(_LEAST_LINE_MB, _MOST_MB)
    ),
    "garbage": take_fields(lambda stage: stage.print_bytes(_GARBAGE)),
    "die": take_value(die_of, make_choice(DEADLY), "the signal to die of"),
    "ignore_term": take_fields(ignore_term),
    "fork": take_fields(leave_process, seconds=read_seconds, pid_file=read_argument),
    "late": take_fields(write_late, seconds=read_seconds, path=read_argument, text=read_any_text),
}
