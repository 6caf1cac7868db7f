"""One side of the pipe: it asks the other side, and answers what that asks meanwhile.

What is no plain data stays where it is. The other side gets a number for it, and a stand-in whose
operations are asked for over the pipe.
"""

from __future__ import annotations

import json
import operator
import os
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any

from goalkeeper.witness.across.values import Wire, decode, encode

_LONGEST = 256 << 20  # bytes of one message
_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor".split()  # noqa: SIM905
OPERATIONS = frozenset(
    f"__{name}__"
    for name in (
        *"call len length_hint iter next reversed getitem setitem delitem contains".split(),  # noqa: SIM905
        *"enter exit aiter anext aenter aexit hash lt le gt ge bool int float complex".split(),  # noqa: SIM905
        *"index round trunc floor ceil neg pos abs invert fspath bytes".split(),  # noqa: SIM905
        *(prefix + name for name in _BINARY for prefix in ("", "r", "i")),
    )
)
PLAIN = (int, float, str, bytes, tuple, frozenset)  # an object that derives from one has its value
ALWAYS = frozenset({"__eq__", "__ne__", "__str__", "__repr__", "__format__"})
# A class has these by its own type or by another method, so Python is asked.
_BY_FUNCTION: dict[str, Callable[..., Any]] = {
    "__getitem__": operator.getitem,
    "__iter__": iter,
    "__len__": len,
    "__contains__": operator.contains,
    "__hash__": hash,
    "__str__": str,
    "__repr__": repr,
}


class PipeClosed(Exception):
    """The other side has ended, or says what cannot be read."""


def list_operations(kind: type, *, whole: bool = False) -> list[str]:
    """Return the operations that a class has of its own, and not as a plain type or an error.

    For a `whole` list, those count, too.
    """
    found: dict[str, object] = {}
    for parent in kind.__mro__[:-1]:
        is_plain = parent in PLAIN or (parent.__module__ == "builtins" and _is_error(parent))
        is_usual = is_plain and not whole
        for name, method in vars(parent).items():
            if name in OPERATIONS or name in ALWAYS:
                found.setdefault(name, None if is_usual else method)
    return sorted(name for name, method in found.items() if method is not None)


def _is_error(kind: type) -> bool:
    return issubclass(kind, BaseException)


def perform(on: Any, name: str, args: Iterable[Any], named: dict[str, Any]) -> Any:  # noqa: ANN401
    """Carry out an operation as Python would; NotImplemented is an answer."""
    if name == "__call__":
        return on(*args, **named)
    function = _BY_FUNCTION.get(name)
    return function(on, *args) if function else getattr(type(on), name)(on, *args)


def forward(name: str) -> Callable[..., Any]:
    """Return a method of a stand-in that asks for this operation."""

    def method(self: Any, *args: Any, **named: Any) -> Any:  # noqa: ANN401
        return type(self).gk_peer.ask_operation(self, name, args, named)

    method.__name__ = name
    return method


class Peer:
    """It owns one end of the pipe, and what it has exported."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._reader = end.makefile("rb")
        self._turn = threading.RLock()  # a thread asks when the others have their answers
        self._owner = os.getpid()
        self.exported: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._asked = 0

    # The sides differ in these.

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def encode_other(self, value: Any) -> Wire:  # noqa: ANN401
        raise NotImplementedError

    def decode_other(self, wire: Wire) -> Any:  # noqa: ANN401
        raise NotImplementedError

    # Both have these.

    def encode(self, value: Any) -> Wire:  # noqa: ANN401
        return encode(value, self.encode_other)

    def decode(self, wire: Wire) -> Any:  # noqa: ANN401
        return decode(wire, self.decode_other)

    def export(self, value: Any) -> int:  # noqa: ANN401
        """Return the number of an object, which stays alive as long as the pipe."""
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._numbers) + 1
            self.exported[number] = value
        return number

    @property
    def is_shared(self) -> bool:
        """Return whether this process is a copy of the one that owns the pipe."""
        return os.getpid() != self._owner

    def close(self) -> None:
        self._reader.close()
        self._end.close()

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        with self._turn:
            self._asked += 1
            number = self._asked
            self.send({**asked, "id": number})
            while True:
                told = self.receive()
                if "ask" in told:
                    self.send({**self.answer(told), "id": told.get("id")})
                elif told.get("id") == number:  # not an answer that nobody waited for
                    return told

    def send(self, message: dict[str, Any]) -> None:
        try:
            self._end.sendall(json.dumps(message).encode() + b"\n")
        except OSError as exc:
            raise PipeClosed(str(exc)) from exc

    def receive(self) -> dict[str, Any]:
        try:
            line = self._reader.readline(_LONGEST)
            told = json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError, RecursionError) as exc:
            raise PipeClosed(str(exc)) from exc
        if not isinstance(told, dict):
            raise PipeClosed("it has ended")
        return told
