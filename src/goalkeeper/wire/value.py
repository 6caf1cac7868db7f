"""Small immutable values that are defined in very little time.

Agents call the command line all day, and forty frozen dataclasses take longer to define than the
interpreter takes to start (docs/decisions/0003-start-up.md has the numbers). Type checkers see a
`Value` as the frozen dataclass it resembles.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, NoReturn, Self, dataclass_transform
else:

    def dataclass_transform(**_):  # noqa: ANN003, ANN201  what typing does, without its weight
        return lambda cls: cls


MaybeEmpty = str  # a text with this annotation is left out of what is written when it is empty


@dataclass_transform(frozen_default=True)
class Value:
    """Subclasses list their fields as annotations; class attributes are defaults."""

    _names: ClassVar[tuple[str, ...]]
    _name_set: ClassVar[frozenset[str]]
    _defaults: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        cls._names = tuple(cls.__annotations__)
        cls._name_set = frozenset(cls._names)
        cls._defaults = {name: getattr(cls, name) for name in cls._names if hasattr(cls, name)}
        setattr(cls, "__match_args__", cls._names)  # noqa: B010  type checkers make their own

    def __init__(self, *args: Any, **named: Any) -> None:  # noqa: ANN401  type checkers know better
        mine = self.__dict__
        if not named and len(args) == len(self._names):  # this is common, and needs no check
            mine.update(zip(self._names, args, strict=True))
            return
        mine.update(self._defaults)
        mine.update(zip(self._names, args, strict=False))
        mine.update(named)
        if mine.keys() != self._name_set or len(args) > len(self._names):
            raise TypeError(f"{type(self).__name__} takes {self._names}, got {mine}")

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Make a value of all of its fields, and of nothing else; the caller has checked that."""
        made = cls.__new__(cls)
        made.__dict__.update(fields)
        return made

    def as_dict(self) -> dict[str, Any]:
        mine = self.__dict__
        return {name: mine[name] for name in self._names}

    def replace(self, **changes: Any) -> Self:  # noqa: ANN401  fields, by name
        return type(self)(**{**self.__dict__, **changes})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.as_dict().values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({shown})"
