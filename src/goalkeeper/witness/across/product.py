"""The process of the product: it imports what the tests ask for, and does what they ask.

Nothing here is trusted. A product that bends this process bends its own answers and no more.
The first process starts programs for the tests, and ends when the product's process ends.
"""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import inspect
import io
import logging
import os
import random
import socket
import sys
import types
import warnings
from collections import namedtuple
from contextlib import suppress
from functools import cached_property
from typing import Any

from goalkeeper.witness.across.peer import ALWAYS, Peer, PipeClosed, forward, list_operations
from goalkeeper.witness.across.peer import perform as perform_operation
from goalkeeper.witness.across.programs import start_programs
from goalkeeper.witness.across.strangers import list_twins
from goalkeeper.witness.across.values import MUTABLE, Wire, is_standard

_UNSET = object()
# The value of what is derived from a plain type, as the plain type has it.
_PLAIN_VALUE: dict[type, Any] = {
    int: int.__pos__,
    float: float.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
}


class _TestsObject:
    """It stands for an object of the tests, which is asked over the pipe."""

    gk_peer: Any
    gk_number: int

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return self.gk_peer.ask_tests({"ask": "get", "on": self.gk_number, "name": name})


def _bind(self: Any, on: Any, _: type | None = None) -> Any:  # noqa: ANN401
    return self if on is None else types.MethodType(self, on)


class _Spoken(io.RawIOBase):
    """It takes what the product prints to the tests, with the next message."""

    def __init__(self, side: ProductSide, stream: str) -> None:
        self._side, self._stream = side, stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401
        self._side.spoken.append([self._stream, bytes(data).decode(errors="surrogateescape")])
        return len(data)


class _LogKeeper(logging.Handler):
    def __init__(self, side: ProductSide) -> None:
        super().__init__(level=1)
        self._side = side

    def emit(self, record: logging.LogRecord) -> None:
        self._side.logged.append([record.name, record.levelno, record.getMessage()])


class ProductSide(Peer):
    def __init__(self, end: socket.socket, root: str) -> None:
        super().__init__(end)
        self._root = root
        self._tests_root = root
        self.spoken: list[list[str]] = []
        self.logged: list[list[Any]] = []
        self._told: set[int] = set()  # classes that were described
        self._stands: dict[int, Any] = {}
        self._chance = random.SystemRandom()
        self._originals: dict[tuple[str, str], Any] = {}
        for name in ("stdout", "stderr"):
            raw = _Spoken(self, name)
            stream = io.TextIOWrapper(raw, "utf-8", "surrogateescape", write_through=True)  # type: ignore[type-var]
            setattr(sys, name, stream)
        logging.getLogger().addHandler(_LogKeeper(self))
        logging.getLogger().setLevel(1)

    def serve(self) -> None:
        with suppress(PipeClosed):
            while True:
                asked = self.receive()
                self.send({**self.answer(asked), "id": asked.get("id")})

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        warned: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                self._take_state(asked.get("state") or {})
                told = self._carry_out(asked)
        except PipeClosed:
            raise
        except BaseException as exc:  # noqa: BLE001  the tests expect it, or fail by it
            told = {"error": self.encode(exc)}
        if warned:
            told["warned"] = [[self.encode(w.category), str(w.message)] for w in warned]
        return {**told, **self._take_spoken()}

    def _take_spoken(self) -> dict[str, Any]:
        sys.stdout.flush()
        sys.stderr.flush()
        told = {"spoken": self.spoken, "logged": self.logged}
        self.spoken, self.logged = [], []
        return {name: said for name, said in told.items() if said}

    def _carry_out(self, asked: dict[str, Any]) -> dict[str, Any]:
        ask, name = asked["ask"], asked.get("name", "")
        if ask == "import":
            if asked["again"]:  # tests removed it, so that it is loaded anew
                sys.modules.pop(name, None)
            return {"value": self.encode(importlib.import_module(name))}
        if ask == "lend":
            return self._lend(asked)
        if ask == "named":
            on = _find_named(asked["module"], name)
            name = "__call__"
        else:
            on = self.exported[asked["on"]]
        if ask == "describe":
            self._told.discard(asked["on"])
            return {"value": self._describe_class(on)}
        if ask == "twins":
            twins = list_twins(on, self._chance, far=asked["far"])
            return {"value": self.encode(twins)}
        if ask == "get":
            return {"value": self._encode_attribute(on, name)}
        if ask in ("member", "members"):
            return {"value": self.encode(vars(on)[name] if name else [*vars(on)])}
        args = [self.decode(wire) for wire in asked.get("args", ())]
        named = {key: self.decode(wire) for key, wire in asked.get("named", {}).items()}
        if ask == "set":
            setattr(on, name, *args)
            return {"value": None}
        if ask == "delete":
            delattr(on, name)
            return {"value": None}
        if ask == "await":
            return {"value": self.encode(self._loop.run_until_complete(_wait_for(on)))}
        if ask == "method":
            result = getattr(on, name)(*args, **named)
            return {"value": self.encode(result), "after": self._encode_whole(on)}
        result = perform_operation(on, name, args, named)
        same = next((at for at, value in enumerate(args) if value is result), None)
        if same is not None and type(result) in MUTABLE:
            told: dict[str, Any] = {"same": same}
        else:
            told = {"value": self.encode(result)}
        changed = [
            [at, after]
            for at, value in enumerate(args)
            if type(value) in MUTABLE and (after := self.encode(value)) != asked["args"][at]
        ]
        return {**told, "changed": changed} if changed else told

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.new_event_loop()

    def _encode_attribute(self, on: Any, name: str) -> Wire:  # noqa: ANN401
        if name == "__all__" and isinstance(on, types.ModuleType) and not hasattr(on, name):
            return self.encode([each for each in vars(on) if not each.startswith("_")])
        value = inspect.signature(on) if name == "__signature__" else getattr(on, name)
        return self._encode_whole(value) if type(value) in (list, dict, set) else self.encode(value)

    def _encode_whole(self, value: Any) -> Wire:  # noqa: ANN401
        """Encode a list of the product's, which the tests may change."""
        return ["shared", self.export(value), self.encode(value)]

    # What the tests changed in their process counts here, too.

    def _take_state(self, state: dict[str, Any]) -> None:
        self._tests_root = state.get("root", self._tests_root)
        for name, value in state.get("environ", {}).items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = self._find_place(value)
        if "cwd" in state:
            with suppress(OSError):
                os.chdir(self._find_place(state["cwd"]))
        if "path" in state:
            sys.path[:] = [self._find_place(entry) for entry in state["path"]]
            importlib.invalidate_caches()
        if "argv" in state:
            sys.argv = state["argv"]
        if "stdin" in state:
            sys.stdin = self.decode(state["stdin"]) or sys.__stdin__
        for module, name, wire in state.get("patches", ()):
            home = importlib.import_module(module)
            original = self._originals.setdefault((module, name), getattr(home, name, _UNSET))
            if wire is not None:
                setattr(home, name, self.decode(wire[0]))
            elif original is _UNSET:
                delattr(home, name)
            else:
                setattr(home, name, original)

    def _find_place(self, text: str) -> str:
        """Return a path in the tests' checkout as a path here; in sandboxes they are the same."""
        return text.replace(self._tests_root, self._root) if self._tests_root else text

    def _lend(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Write a held-out data file that a test names in what it asks."""
        place = os.path.join(self._root, asked["path"])
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(bytes.fromhex(asked["data"]))
        return {"value": None}

    # Objects of the tests.

    def ask_tests(self, asked: dict[str, Any]) -> Any:  # noqa: ANN401
        if not self._turn.acquire(blocking=False):
            raise RuntimeError("the tests cannot be asked from another thread")
        try:
            told = self.ask({**asked, **self._take_spoken()})
        finally:
            self._turn.release()
        if "error" in told:
            raise self.decode(told["error"])
        return self.decode(told["value"])

    def ask_operation(self, on: Any, name: str, args: Any, named: dict[str, Any]) -> Any:  # noqa: ANN401
        return self.ask_tests({
            "ask": "do", "on": on.gk_number, "name": name, "args": [self.encode(a) for a in args],
            "named": {key: self.encode(value) for key, value in named.items()},
        })  # fmt: skip

    def decode_other(self, wire: Wire) -> Any:  # noqa: ANN401
        tag, number, *rest = wire
        if tag == "ref":
            return self.exported[number]
        if tag == "module":
            return importlib.import_module(number)
        if tag == "named":
            return _find_named(number, rest[0])
        if number not in self._stands or tag == "record":  # a record may have changed since
            make: dict[str, Any] = {
                "object": self._make_stand,
                "error": _make_error,
                "class": _make_error_class,
            }
            make.update(value=_make_value, record=_make_record)
            parts = [self.decode(part) for part in rest]
            self._stands[number] = made = make[tag](*parts)
            with suppress(AttributeError):
                made.gk_number = number
        return self._stands[number]

    def _make_stand(self, name: str, operations: list[str]) -> Any:  # noqa: ANN401
        methods: dict[str, Any] = {each: forward(each) for each in (*operations, *ALWAYS)}
        methods.setdefault("__hash__", object.__hash__)
        if name == "function":  # one that tests put into a class becomes a method
            methods["__get__"] = _bind
        return type(name, (_TestsObject,), {"gk_peer": self, **methods})()

    # Objects of the product.

    def encode_other(self, value: Any) -> Wire:  # noqa: ANN401
        is_method = isinstance(value, types.MethodType)  # it has the members of its function
        is_theirs = not is_method and "gk_number" in getattr(value, "__dict__", ())
        if is_theirs or isinstance(value, _TestsObject):
            return ["back", value.gk_number]
        if isinstance(value, type):
            if is_standard(value.__module__) and _is_named(value):
                return ["named", value.__module__, value.__qualname__]
            return self._describe_class(value)
        number = self.export(value)
        if isinstance(value, types.ModuleType):
            return ["module", number, value.__name__, self._describe_class(type(value))]
        if isinstance(value, BaseException):
            return self._describe_error(value, number)
        if inspect.isawaitable(value):
            return ["awaitable", number]
        base = next((each for each in type(value).__mro__ if each in _PLAIN_VALUE), None)
        plain = [self.encode(_PLAIN_VALUE[base](value))] if base else []
        return ["object", number, self._describe_class(type(value)), *plain]

    def _describe_class(self, kind: type) -> Wire:
        number = self.export(kind)
        if number in self._told:
            return ["class", number]
        self._told.add(number)
        bases = [self.encode(base) for base in kind.__bases__ if base is not object]
        operations = list_operations(kind)
        return ["class", number, kind.__module__, kind.__qualname__, bases, operations]

    def _describe_error(self, error: BaseException, number: int) -> Wire:
        try:
            text = str(error)
        except Exception as exc:  # noqa: BLE001  its own code may fail
            text = repr(exc)
        members = {name: value for name, value in vars(error).items() if not name.startswith("__")}
        if isinstance(error, ImportError):
            members.update(name=error.name, path=error.path)
        cause = [self.encode(error.__cause__)] if error.__cause__ else []
        parts = [self.encode(type(error)), self.encode(error.args), text, self.encode(members)]
        return ["error", number, *parts, *cause]


async def _wait_for(awaitable: Any) -> Any:  # noqa: ANN401
    return await awaitable


def _find_named(module: str, name: str) -> Any:  # noqa: ANN401
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _is_named(kind: type) -> bool:
    try:
        return _find_named(kind.__module__, kind.__qualname__) is kind
    except (ImportError, AttributeError):
        return False


def _make_value(name: str, value: Any, fields: list[str]) -> Any:  # noqa: ANN401
    """Make what derives from a plain type in the tests; the names of a row lead to its parts."""
    base = namedtuple(name, fields) if fields else type(value)  # noqa: PYI024  not ours to declare
    kind: Any = type(name, (base,), {})
    return kind(*value) if fields else kind(value)


def _make_record(name: str, fields: dict[str, Any]) -> Any:  # noqa: ANN401
    return dataclasses.make_dataclass(name, [*fields])(**fields)


def _make_error_class(name: str, bases: list[Any]) -> Any:  # noqa: ANN401
    return type(name, tuple(bases), {})


def _make_error(kind: type[BaseException], args: tuple[Any, ...], text: str) -> BaseException:
    error = kind.__new__(kind, *args)
    if type(error).__str__ is not BaseException.__str__ and str(error) != text:
        error = kind(*args)
    return error


def main() -> None:
    asking, starting = (int(word) for word in sys.argv[1:3])
    root = sys.argv[3]
    sys.argv = [""]
    product = os.fork()
    if product == 0:
        os.close(starting)
        ProductSide(socket.socket(fileno=asking), root).serve()
        os._exit(0)
    os.close(asking)
    start_programs(socket.socket(fileno=starting), product, root)
    os._exit(0)  # whatever still runs here ends with the sandbox
