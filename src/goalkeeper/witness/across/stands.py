"""Stand-ins for the product's modules, classes and objects in the process of the tests."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

from goalkeeper.witness.across.peer import ALWAYS, OPERATIONS, PLAIN, forward

_IMPORTED = frozenset({"__spec__", "__path__", "__loader__", "__package__", "__cached__"})
_CHANGING = """
    append extend insert pop remove clear sort reverse update setdefault popitem add discard
    difference_update intersection_update symmetric_difference_update
    __setitem__ __delitem__ __iadd__ __ior__ __iand__ __isub__ __ixor__
""".split()  # noqa: SIM905


def is_stand(value: Any) -> bool:  # noqa: ANN401
    """Return whether a value stands for a class, a module or an object of the product."""
    return isinstance(type(value), RemoteType) or isinstance(value, (RemoteType, RemoteModule))


def _get(self: Any, name: str) -> Any:  # noqa: ANN401
    if name.startswith("gk_") or (name.startswith("__") and type(self).gk_peer.is_lost):
        raise AttributeError(name)  # runners look for such names while they report an error
    return type(self).gk_peer.ask_product("get", on=self.gk_number, name=name)


def _set(self: Any, name: str, value: Any) -> None:  # noqa: ANN401
    type(self).gk_peer.ask_product("set", on=self.gk_number, name=name, values=[value])


def _delete(self: Any, name: str) -> None:  # noqa: ANN401
    type(self).gk_peer.ask_product("delete", on=self.gk_number, name=name)


def _ask_function(module: str, name: str) -> Any:  # noqa: ANN401
    """Return a method that calls a function of the product's side."""

    def method(self: Any, *_: Any) -> Any:  # noqa: ANN401
        peer = type(self).gk_peer
        return peer.ask_product("named", module=module, name=name, values=[self])

    return method


def _equal(self: Any, other: object) -> Any:  # noqa: ANN401
    return RemoteType.gk_peer.doubter.ask_equal(self, other)


def _contains(self: Any, item: object) -> Any:  # noqa: ANN401
    return RemoteType.gk_peer.doubter.ask_contains(self, item)


def _is_true(self: Any) -> Any:  # noqa: ANN401
    peer = RemoteType.gk_peer
    return peer.is_lost or peer.doubter.ask_truth(self)


class _Members(Mapping[str, Any]):
    """The `__dict__` of a class or a module: each member is asked for when it is wanted."""

    def __init__(self, of: Any) -> None:  # noqa: ANN401
        self._of = of

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        return type(self._of).gk_peer.ask_product("member", on=self._of.gk_number, name=name)

    def __iter__(self) -> Iterator[str]:
        names = type(self._of).gk_peer.ask_product("members", on=self._of.gk_number)
        return iter(names)

    def __len__(self) -> int:
        return len([*self])


class RemoteModule(types.ModuleType):
    gk_peer: Any
    gk_number: int

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name in _IMPORTED:
            raise AttributeError(name)
        return _get(self, name)

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401
        if name in _IMPORTED:
            super().__setattr__(name, value)
        elif not isinstance(value, RemoteModule):  # the product's side binds its modules itself
            _set(self, name, value)

    __delattr__ = _delete
    __dir__ = _ask_function("builtins", "dir")
    __dict__ = property(_Members)


def _list_members(kind: type) -> Any:  # noqa: ANN401
    own = type.__dict__["__dict__"].__get__(kind)
    return _Members(kind) if "gk_number" in own else own


class RemoteType(type):
    """The type of the product's classes, as tests see them."""

    gk_peer: Any
    gk_number: int

    def __new__(
        cls, name: str, bases: tuple[type, ...], members: dict[str, Any], *, is_ours: bool = False
    ) -> RemoteType:
        if not is_ours:
            raise RemoteType.gk_peer.refuse("a class of the tests derives from one of the product")
        return super().__new__(cls, name, bases, members)

    def __init__(cls, *args: Any, **_: Any) -> None:  # noqa: ANN401
        super().__init__(*args)

    def __instancecheck__(cls, instance: Any) -> bool:  # noqa: ANN401
        if super().__instancecheck__(instance):
            return True
        if cls is Remote or not is_stand(instance):
            return False
        asked = [instance, cls]
        peer = RemoteType.gk_peer
        return peer.ask_product("named", module="builtins", name="isinstance", values=asked) is True

    __call__ = forward("__call__")
    __getattr__, __setattr__, __delattr__ = _get, _set, _delete
    __dict__ = property(_list_members)  # type: ignore[misc]
    __getitem__, __len__ = forward("__getitem__"), forward("__len__")
    __iter__, __contains__ = forward("__iter__"), _contains
    __bool__ = _ask_function("builtins", "bool")


class _Stand(metaclass=RemoteType, is_ours=True):
    """What all objects of the product have in common here."""

    __test__ = False  # pytest collects none of them
    __getattr__, __setattr__, __delattr__ = _get, _set, _delete
    __copy__, __deepcopy__ = _ask_function("copy", "copy"), _ask_function("copy", "deepcopy")
    __dir__ = _ask_function("builtins", "dir")
    gk_number: int

    def __reduce_ex__(self, _: object) -> Any:  # noqa: ANN401
        raise RemoteType.gk_peer.refuse("a test pickles an object of the product")


class Remote(_Stand, is_ours=True):
    """An object of the product that is no plain data: the product answers for it."""

    __dict__ = property(lambda self: _get(self, "__dict__"))
    __doc__ = property(lambda self: _get(self, "__doc__"))
    __hash__ = object.__hash__

    __eq__, __bool__ = _equal, _is_true

    def __ne__(self, other: object) -> Any:  # noqa: ANN401
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __str__, __repr__, __format__ = forward("__str__"), forward("__repr__"), forward("__format__")


class RemoteValue(_Stand, is_ours=True):
    """An object of a class that derives from a plain type: its value is here, and compared here."""


class RemoteError(_Stand, is_ours=True):
    """An exception of the product's own classes."""

    gk_text: str

    def __str__(self) -> str:
        return self.gk_text

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401
        if name.startswith("__"):  # where it was raised, and why, in this process
            object.__setattr__(self, name, value)
        else:
            _set(self, name, value)


def make_class(
    number: int,
    names: tuple[str, str],
    bases: list[type],
    operations: list[str],
    real: type | None,
) -> Any:  # noqa: ANN401
    """Make the class that stands for a class of the product; `real` is the same one here."""
    module, name = names
    remote: list[Any] = [base for base in bases if isinstance(base, RemoteType)]
    plain = next((each for base in bases for each in base.__mro__ if each in PLAIN), None)
    if any(issubclass(base, BaseException) for base in bases):
        kinds = [*remote, *([] if remote else [RemoteError])]
        kinds += [base for base in bases if base not in remote and issubclass(base, BaseException)]
    elif plain:
        kinds = [*remote, RemoteValue, plain]
    else:
        kinds = remote or [Remote]
    known = ALWAYS.union(OPERATIONS).intersection(operations)
    members: dict[str, Any] = {each: forward(each) for each in known}
    if "__eq__" in members:
        members["__eq__"] = _equal
        members.setdefault("__hash__", None)
    if "__contains__" in members:
        members["__contains__"] = _contains
    if "__bool__" in members and not plain:
        members["__bool__"] = _is_true
    members.update(__module__=module, __qualname__=name, gk_number=number)
    known_as = real or next((base for base in bases if base in _SHARED), None)
    if known_as is not None and not plain:  # so says `isinstance`
        members["__class__"] = property(lambda _: known_as)
    short = name.rpartition(".")[2]
    try:
        return RemoteType(short, tuple(dict.fromkeys(kinds)), members, is_ours=True)
    except TypeError:  # its bases stand in an order that does not fit here
        return RemoteType(short, (kinds[0],), members, is_ours=True)


def make_object(kind: Any, number: int, value: list[Any]) -> Any:  # noqa: ANN401
    """Make the object that stands for one of the product's, with the value of its plain type."""
    plain: Any = next((base for base in kind.__mro__ if base in PLAIN), None)
    made = plain.__new__(kind, value[0]) if plain and value else object.__new__(kind)
    object.__setattr__(made, "gk_number", number)
    return made


def _change_remotely(name: str) -> Any:  # noqa: ANN401
    def method(self: Any, *args: Any, **named: Any) -> Any:  # noqa: ANN401
        peer = RemoteType.gk_peer
        wires = {key: peer.encode(value) for key, value in named.items()}
        result, after = peer.ask_product(
            "method", on=self.gk_number, name=name, values=args, named=wires
        )
        refill(self, after)
        return self if name.startswith("__i") else result

    return method


def refill(value: Any, after: Any) -> None:  # noqa: ANN401
    """Give a container the contents of another one."""
    homes = ("builtins", "collections")
    plain: Any = next(base for base in type(value).__mro__ if base.__module__ in homes)
    plain.clear(value)
    (plain.update if hasattr(plain, "update") else plain.extend)(value, after)


_SHARED = {
    kind: type(
        kind.__name__,
        (kind,),
        {name: _change_remotely(name) for name in _CHANGING if hasattr(kind, name)},
    )
    for kind in (list, dict, set)
}


def make_shared(number: int, value: Any) -> Any:  # noqa: ANN401
    """Make a container that changes the product's own, whose contents it has."""
    made = _SHARED[type(value)]()
    refill(made, value)
    made.gk_number = number
    return made
