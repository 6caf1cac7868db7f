"""The interfaces to the outside, as the use cases see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from goalkeeper.core.plan.events import Event, PlanCreated
from goalkeeper.core.plan.model import Actor, Plan
from goalkeeper.wire.value import Value

Clock = Callable[[], str]  # returns the time as an ISO 8601 text in UTC
Suffix = Callable[[], str]  # returns four random hexadecimal digits


class Entry(Value):
    """One line of the ledger. `rest` lines of the same command follow it."""

    seq: int
    at: str
    actor: Actor
    event: Event
    kind: str
    rest: int = 0
    version: int = 1  # the version of the kind when the line was written


class Writing(Protocol):
    """One command's turn at a run. Nobody else changes the run meanwhile."""

    @property
    def plan(self) -> Plan: ...

    def append(self, events: tuple[Event, ...], *, at: str, actor: Actor) -> None:
        """Record all events or none; when it returns they survive a crash."""


class Run(Protocol):
    @property
    def run_id(self) -> str: ...

    @property
    def warnings(self) -> list[str]:
        """List what was recorded but could not be done in full."""

    def read(self) -> Plan: ...

    def writing(self) -> AbstractContextManager[Writing]: ...

    def head(self) -> tuple[str, int]:
        """Return the digest and the number of the ledger's last line."""

    def entries(self) -> Iterator[Entry]:
        """Read the whole ledger, and check every line on the way."""

    def entries_from_end(self) -> Iterator[Entry]:
        """Read the ledger from its end, as far as the caller wants, and check what is read."""


class ReceiptSigner(Value):
    """Says how receipts are signed, and where they are kept."""

    sign: Callable[[bytes], dict[str, Any]]
    keep: Callable[[str, bytes], None]  # keeps a receipt under its digest
    has: Callable[[str], bool]  # returns whether the receipt is there and unchanged
    version: Callable[[], str]  # returns the version of goalkeeper


class RunStore(Protocol):
    def ids(self) -> list[str]: ...

    def named(self, run_id: str) -> Run: ...

    def choose(self, *, named: str, actor: Actor) -> Run | None:
        """Find the run that is named, or bound to the session, or current, if there is one."""

    def create(
        self, event: PlanCreated, *, at: str, actor: Actor, closing: Callable[[], None]
    ) -> Run:
        """Make a run and do what closes the one it replaces: both, or neither."""

    def set_aside(self, run_id: str) -> str:
        """Move a run to the archive, and say where it is then."""

    def holding(self) -> AbstractContextManager[None]:
        """Keep others from making runs or setting them aside."""
