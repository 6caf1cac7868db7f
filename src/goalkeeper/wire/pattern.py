"""Patterns that are compiled when they are first used.

A command loads some hundred and fifty patterns and uses a few of them; to compile all of them took
a quarter of the time in which `judge` answers (docs/decisions/0003-start-up.md).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any, AnyStr, cast
else:

    def cast(_, value):  # noqa: ANN001, ANN201  what typing does, without its weight
        return value


def late_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Give what `re.compile` gives, at once; a mistake in the pattern shows at its first use."""
    return cast("re.Pattern[AnyStr]", _LatePattern(text, flags))


class _LatePattern:
    """It has no attribute of a pattern until one is asked for, and then all of them."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever a pattern has by this name
        import re  # noqa: PLC0415  slow, and not every command uses a pattern

        compiled = re.compile(self._text, self._flags)
        public = (known for known in dir(compiled) if not known.startswith("_"))
        self.__dict__.update((known, getattr(compiled, known)) for known in public)
        return getattr(compiled, name)
