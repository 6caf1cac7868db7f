"""The process of held-out tests: the product's modules are stand-ins that ask over the pipe.

No code of the product is loaded here. Its answers are data, its objects are numbers, and what it
may ask in return is limited to the objects that tests have handed to it.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import logging
import os
import pathlib
import socket
import sys
import types
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from goalkeeper.witness.across.doubts import Doubter
from goalkeeper.witness.across.imports import ProductNames
from goalkeeper.witness.across.patches import RUNNERS
from goalkeeper.witness.across.peer import (
    ALWAYS,
    OPERATIONS,
    PLAIN,
    Peer,
    PipeClosed,
    list_operations,
    perform,
)
from goalkeeper.witness.across.stands import (
    RemoteModule,
    RemoteType,
    is_stand,
    make_class,
    make_object,
    make_shared,
    refill,
)
from goalkeeper.witness.across.values import MUTABLE, Wire, is_standard

_TOLD_OF_FUNCTIONS = frozenset({"__name__", "__qualname__", "__doc__", "__module__"})
_CODE = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.GeneratorType)
_CLOSED = (types.ModuleType, types.CodeType, types.FrameType, types.CoroutineType,
           types.AsyncGeneratorType)  # fmt: skip


class Uncarried(BaseException):
    """A test asks for what cannot be carried across the pipe. No `except Exception` hides it."""


class ProductLost(BaseException):
    """The product's process has ended, or does not answer as a product could."""


class JudgeSide(Peer):
    """The end of the pipe that tests hold."""

    def __init__(self, folder: str, asked: dict[str, Any]) -> None:
        super().__init__(socket.socket(fileno=asked["asking"]))
        self.root: str = asked["root"]
        self._held_out = os.path.join(self.root, asked["held_out"])
        self.names = ProductNames(self._held_out, self.root, asked["names"], asked["known"])
        notes = os.path.join(folder, "notes")
        self._notes = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._sent: dict[str, Any] = {}
        self._lent: set[str] = set()
        self.patched: dict[tuple[str, str], Any] = {}  # originals of what tests replaced
        self._known: dict[int, Any] = {}
        self._gone = ""  # why nobody can be asked any more
        self.doubter = Doubter(self)

    def note(self, kind: str, text: str) -> str:
        """Tell the witness; it reads this beside the report."""
        os.write(self._notes, json.dumps({kind: text}).encode() + b"\n")
        return text

    def refuse(self, what: str) -> Uncarried:
        return Uncarried(self.note("unknown", what))

    def lose(self, what: str) -> ProductLost:
        self._gone = what
        return self.fail(what)

    def fail(self, what: str) -> ProductLost:
        return ProductLost(self.note("failed", what))

    @property
    def is_lost(self) -> bool:
        return bool(self._gone)

    # It asks.

    def ask_product(self, ask: str, *, aside: bool = False, **asked: Any) -> Any:  # noqa: ANN401
        """Ask the product. What it says while it is asked aside is not for the tests."""
        if self.is_shared:
            raise self.refuse("a process that tests forked asks the product")
        if self._gone:
            raise ProductLost(self._gone)
        values = [*asked.pop("values", ())]
        message = {"ask": ask, **asked, "state": self._find_changes()}
        if values:
            message["args"] = [self.encode(value) for value in values]
        try:
            told = self.ask(message)
            if not aside:
                self._repeat_spoken(told)
            for at, wire in told.get("changed", ()):
                if type(values[at]) in MUTABLE:
                    refill(values[at], self.decode(wire))
            if "same" in told:
                return values[told["same"]]
            if "error" not in told:
                value = self.decode(told["value"])
                return (value, self.decode(told["after"])) if ask == "method" else value
            error = self.decode(told["error"])
        except (PipeClosed, ValueError, LookupError, TypeError, AttributeError) as exc:
            raise self.lose(f"the product's process does not answer: {exc}") from None
        if not isinstance(error, BaseException):
            raise self.lose("the product raises what is no exception")
        raise error

    def ask_operation(self, on: Any, name: str, args: Sequence[Any], named: Any) -> Any:  # noqa: ANN401
        wires = {key: self.encode(value) for key, value in named.items()}
        return self.ask_product("do", on=on.gk_number, name=name, values=args, named=wires)

    def _find_changes(self) -> dict[str, Any]:
        """Return what tests changed in this process since they asked last."""
        environ = {k: v for k, v in os.environ.items() if not k.startswith("GOALKEEPER_")}
        before = self._sent.get("environ", {})
        changed = {name: value for name, value in environ.items() if before.get(name) != value}
        changed.update(dict.fromkeys(before.keys() - environ.keys()))
        stdin = None if sys.stdin is sys.__stdin__ else self.encode(sys.stdin)
        patches = {}
        for (module, name), original in self.patched.items():
            value = getattr(sys.modules[module], name, original)
            patches[module, name] = None if value is original else [self.encode(value)]
        now = {
            "root": self.root,
            "environ": environ,
            "cwd": os.getcwd(),
            "path": [*sys.path],
            "argv": [str(word) for word in sys.argv],
            "stdin": stdin,
            "patches": patches,
        }
        state = {name: value for name, value in now.items() if self._sent.get(name) != value}
        if "environ" in state:
            state["environ"] = changed
        if "patches" in state:
            sent = self._sent.get("patches", {})
            state["patches"] = [[*k, v] for k, v in patches.items() if sent.get(k) != v]
        self._sent = now
        return state

    def _repeat_spoken(self, told: dict[str, Any]) -> None:
        """Print, log and warn as the product did. The judge's own output is not the product's."""
        for stream, text in told.get("spoken", ()):
            file = sys.stdout if stream == "stdout" else sys.stderr
            if file not in (sys.__stdout__, sys.__stderr__, None):
                file.write(str(text))
        for name, level, text in told.get("logged", ()):
            logger = logging.getLogger(str(name))
            if logger.isEnabledFor(level):
                logger.handle(logger.makeRecord(str(name), level, "", 0, str(text), (), None))
        for wire, text in told.get("warned", ()):
            kind = self.decode(wire)
            is_known = isinstance(kind, type) and issubclass(kind, Warning)
            warnings.warn(str(text), kind if is_known else UserWarning, stacklevel=3)

    # It answers, only about what tests have handed over.

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._repeat_spoken(asked)
        try:
            on, name = self.exported[asked["on"]], str(asked["name"])
            if asked["ask"] == "get":
                value = self._read_member(on, name)
            elif name in OPERATIONS or name in ALWAYS:
                args = [self.decode(wire) for wire in asked["args"]]
                named = {str(k): self.decode(wire) for k, wire in asked["named"].items()}
                value = perform(on, name, args, named)
            else:
                raise AttributeError(name)
            return {"value": self.encode(value)}
        except (Uncarried, ProductLost):
            raise
        except BaseException as exc:  # noqa: BLE001  the product hears what its callback raised
            return {"error": self.encode(exc)}

    def _read_member(self, on: Any, name: str) -> Any:  # noqa: ANN401
        """Read a member that is meant for others; code would lead to the tests' own values."""
        is_told = name in _TOLD_OF_FUNCTIONS
        if (isinstance(on, _CODE) and not is_told) or (name.startswith("_") and not is_told):
            raise AttributeError(name)
        return getattr(on, name)

    # Values.

    def encode_other(self, value: Any) -> Wire:  # noqa: ANN401
        if is_stand(value):
            return ["ref", value.gk_number]
        if isinstance(value, types.TracebackType):
            return None
        if "gk_number" in getattr(value, "__dict__", ()):  # a container or an error of the product
            return ["ref", value.gk_number]
        if isinstance(value, _CLOSED):
            raise self.refuse(f"a {type(value).__name__} is an argument")
        is_named = is_standard(getattr(value, "__module__", "") or "")
        if is_named and isinstance(value, (type, types.BuiltinFunctionType)):
            return ["named", value.__module__, value.__qualname__]
        number = self.export(value)
        if isinstance(value, type) and issubclass(value, BaseException):
            bases = self.encode([base for base in value.__bases__ if base is not object])
            return ["class", number, value.__name__, bases]
        if isinstance(value, BaseException):
            parts = [self.encode(part) for part in (type(value), value.args)]
            return ["error", number, *parts, str(value)]
        kind = type(value)
        base = next((each for each in kind.__mro__ if each in PLAIN), None)
        if base is not None:
            return ["value", number, kind.__name__, *map(self.encode, read_value(value, base))]
        if dataclasses.is_dataclass(kind):
            fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
            return ["record", number, kind.__name__, self.encode(fields)]
        operations = list_operations(kind, whole=True)
        return ["object", number, kind.__name__, self.encode(operations)]

    def encode(self, value: Any) -> Wire:  # noqa: ANN401
        if type(value) is str or isinstance(value, pathlib.PurePath):
            self.lend(str(value))
        try:
            return super().encode(value)
        except RecursionError:
            raise self.refuse("an argument that contains itself") from None

    def lend(self, text: str) -> None:
        """Hand over data files that a test names: they lie beside the test alone."""
        if os.path.basename(self._held_out) not in text or "\0" in text:
            return
        place = os.path.abspath(text)
        if not place.startswith(self._held_out + os.sep) or place in self._lent:
            return
        self._lent.add(place)
        if os.path.isdir(place):
            for name in os.listdir(place):
                self.lend(os.path.join(place, name))
        elif os.path.isfile(place) and not place.endswith(".py"):
            with open(place, "rb") as file:
                data = file.read().hex()
            self.ask_product("lend", path=os.path.relpath(place, self.root), data=data)

    def decode_other(self, wire: Wire) -> Any:  # noqa: ANN401
        tag, number, *rest = wire
        if tag == "back":
            return self.exported[number]
        if tag == "named":
            return _find_standard(str(number), str(rest[0]))
        if tag == "awaitable":
            return self._await(number)
        if tag == "shared":
            return make_shared(number, self.decode(rest[0]))
        if number not in self._known:
            if tag == "class" and not rest:  # its description came with what nobody needed
                return self.ask_product("describe", on=number)
            if tag == "class":
                self._known[number] = self._decode_class(number, *rest)
            elif tag == "module":
                self._known[number] = self._decode_module(number, *rest)
            elif tag == "error":
                self._known[number] = self._decode_error(number, *rest)
            else:
                value = [self.decode(part) for part in rest[1:]]
                self._known[number] = make_object(
                    _require_ours(self.decode(rest[0])), number, value
                )
        return self._known[number]

    async def _await(self, number: int) -> Any:  # noqa: ANN401
        return self.ask_product("await", on=number)

    def _decode_class(
        self, number: int, module: str, name: str, bases: list[Wire], operations: list[str]
    ) -> Any:  # noqa: ANN401
        found = [self.decode(base) for base in bases]
        if any(issubclass(base, BaseException) for base in found):
            real = _find_installed(module, name, self.root)
            if real is not None:
                return real
        real = _find_member(module, name) if is_standard(module) else None
        return make_class(number, (module, name), found, operations, real)

    def _decode_module(self, number: int, name: str, kind: Wire) -> Any:  # noqa: ANN401
        if self.names.owns(name):
            module = sys.modules.get(name)
            if not isinstance(module, RemoteModule):
                module = RemoteModule(name)
            types.ModuleType.__setattr__(module, "gk_number", number)
            return module
        return make_object(_require_ours(self.decode(kind)), number, [])

    def _decode_error(
        self, number: int, kind: Wire, args: Wire, text: str, members: Wire, *cause: Wire
    ) -> BaseException:
        made, given = self.decode(kind), self.decode(args)
        if not issubclass(made, BaseException):
            raise ValueError("what is raised is no exception")
        error: BaseException
        try:
            make: Any = BaseException.__new__
            error = make(made) if isinstance(made, RemoteType) else made(*given)
        except Exception:  # noqa: BLE001  its own way of making it may need more
            error = made.__new__(made)
        told = {"args": given, **self.decode(members), "gk_number": number, "gk_text": str(text)}
        for name, value in told.items():
            if not name.startswith("__"):
                with suppress(AttributeError, TypeError):
                    object.__setattr__(error, name, value)
        error.__cause__ = self.decode(cause[0]) if cause else None
        return error


def read_value(value: Any, base: Any) -> list[Any]:  # noqa: ANN401
    """Return what a value is as a plain type, and the names of its parts if it has any."""
    plain = base(value) if base is not str else str.__str__(value)
    return [plain, [*getattr(value, "_fields", ())]]


def _require_ours(kind: Any) -> Any:  # noqa: ANN401
    """Return a class that stands for one of the product; of others no object is made here."""
    if not isinstance(kind, RemoteType):
        raise ValueError("an object of a class that is not the product's")
    return kind


def _find_member(module: str, name: str) -> type | None:
    """Find a class of this process by its name."""
    found: Any = sys.modules.get(module)
    if found is None and is_standard(module):
        found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def _find_standard(module: str, name: str) -> type:
    """Find a class of Python itself. One of a runner would mean something to the runner."""
    if module.partition(".")[0] in RUNNERS:
        return type(name, (Exception,), {})
    found = _find_member(module, name) if is_standard(module) else None
    if found is None:
        raise ValueError(f"there is no class {module}.{name}")
    return found


def _find_installed(module: str, name: str, root: str) -> type | None:
    """Find an exception of a package that tests use, too; not one of the tests themselves."""
    home = sys.modules.get(module)
    file = root if is_stand(home) else getattr(home, "__file__", None) or root
    if file.startswith(root) or module.partition(".")[0] in RUNNERS:
        return None
    found = _find_member(module, name)
    return found if found and issubclass(found, BaseException) else None
