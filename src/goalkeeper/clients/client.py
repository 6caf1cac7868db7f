"""What every client can do. Nothing here starts a program; see `spawn`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from goalkeeper.clients.streams import StreamValue, one_line
from goalkeeper.core.drive.phases import Record
from goalkeeper.wire.value import Value

_TELLING = (
    "command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description",
    "prompt",
)  # fmt: skip


class Asked(Value):
    """What an agent is asked to do, and where. The prompt itself is a file on its input."""

    worktree: str
    session: str  # a UUID that we made, for clients that let us choose
    resume: str = ""  # the id of a session that we began and go on with
    model: str = ""  # if it is empty, the client chooses
    microdollars: int = 0  # the most that it may cost, for clients that can keep to it


class Launch(Value):
    """How to start a client. The prompt file is its standard input."""

    argv: tuple[str, ...]
    env: Mapping[str, str]  # it is the whole environment, not an addition to ours


class Activity(Value):
    """Something that an agent did, for people who watch."""

    kind: str  # it is says, uses, or notes
    text: str  # it is one line, clipped

    @classmethod
    def say(cls, text: str) -> Activity | None:
        shown = one_line(text)
        return cls("says", shown) if shown else None

    @classmethod
    def note(cls, text: str) -> Activity | None:
        shown = one_line(text)
        return cls("notes", shown) if shown else None

    @classmethod
    def use_tool(cls, tool: str, given: StreamValue) -> Activity:
        """Name a tool, and the one thing about its use that tells the most."""
        about = next((given.text(name) for name in _TELLING if given.text(name)), "")
        return cls("uses", one_line(f"{tool} {about}") or "a tool")


class AgentProbe(Value):
    """What is known of a client without asking anybody outside."""

    client: str
    program: str = ""  # where the program is; it is empty if it was not found
    version: str = ""
    problem: str = ""  # why it cannot be used; it is empty if it can
    hint: str = ""
    auth: str = ""  # what it would log in with, such as a variable's name; never the value
    cost_known: bool = False  # whether it tells what it cost


class Reader(Protocol):
    """Follows what a client prints. Lines may be anything: cut, huge, not JSON, not UTF-8."""

    def read_line(self, data: bytes) -> Activity | None:
        """Read one line of its output, without the line end."""

    def make_record(self, *, exit_code: int | None, errors: bytes) -> Record:
        """Make the record of it all; `exit_code` is None when nobody saw it end.

        `errors` is the tail of its error output.
        """


class Client(Protocol):
    name: str

    def probe(self, environ: Mapping[str, str]) -> AgentProbe: ...

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch: ...

    def make_reader(self) -> Reader: ...
