"""A test as rules and reports see it, whatever its language."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from enum import IntEnum

from goalkeeper.wire.value import Value


class Strictness(IntEnum):
    NOTHING = 0  # it cannot fail
    TRUTH = 1  # it asks for something truthy, defined, or of some type
    RELATION = 2  # it asks for something contained, ordered, matched or raised
    EQUALITY = 3  # it asks for one exact value


class Details(Value):
    """What tells apart two assertions that differ; of the rest it is never asked."""

    shape: str  # the text without its literals
    subject: str  # what the assertion looks at
    slack: tuple[tuple[str, float], ...] = ()  # its tolerances; a larger one is looser
    pattern: str = ""  # a regular expression or a part of a text that must match
    is_narrowing: bool = False  # it tells a type checker what a value is; few tests are about that
    names: frozenset[str] = frozenset()
    literals: frozenset[str] = frozenset()


class Assertion(Value):
    text: str  # locals and helpers are written out in it
    strength: Strictness
    line: int
    details: Callable[[], Details]
    swallowed: bool = False  # its failure is caught
    conditional: bool = False  # it runs only if something else holds


class SkipMark(Value):
    word: str  # the word as it is written
    line: int
    xfail: bool = False
    elsewhere: bool = False  # it skips only on a platform that the witness does not run on


class Code(Value):
    """What a test looks like. Most tests keep their names, and are never asked for it."""

    body: str  # a fingerprint of what it does; it is empty if that cannot be compared
    given: str = ""  # a fingerprint of what it is given: arguments, marks, tables


class Test(Value):
    __test__ = False  # pytest would collect it by its name

    path: str
    name: str
    line: int
    code: Callable[[], Code]
    outline: Callable[[], object] = tuple  # tests of which the bodies are equal have the same
    names: Callable[[], frozenset[str]] = frozenset
    assertions: tuple[Assertion, ...] = ()
    skips: tuple[SkipMark, ...] = ()
    cases: tuple[str, ...] = ()  # it is parametrized with them or loops over them
    looped: tuple[str, ...] = ()  # rows of other tables that it loops over, which may be gained
    entries: tuple[str, ...] = ()  # the entries of tables that it looks things up in
    mocked: frozenset[str] = frozenset()
    early_return: int = 0  # the line of a return that assertions follow
    collected: bool = True
    is_part: bool = False  # reports may name it, but rules compare the whole that it belongs to

    @property
    def body(self) -> str:
        return self.code().body

    @property
    def live(self) -> tuple[Assertion, ...]:
        """Return the assertions that can fail the test."""
        return tuple(
            assertion
            for assertion in self.assertions
            if assertion.strength and not assertion.swallowed
        )


class TestFile(Value):
    """The tests of one file, and what looks like a test but is not collected."""

    __test__ = False

    tests: tuple[Test, ...] = ()
    has_errors: bool = False  # the parser passed over something


def fingerprint(words: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for word in words:
        digest.update(word.encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()
