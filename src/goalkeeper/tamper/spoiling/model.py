"""A test file with other expectations, and the tests that must fail by them."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class SpoiltFile(Value):
    """A test file in which every expectation that we can read is another one.

    Names of tests are those of `tamper.identity`: `TestX::test_y`, or `outer > inner > title`. An
    empty name means the file as a whole, where it is a script that ends with a status.
    """

    text: str
    spoilt: tuple[str, ...]  # these tests must fail now
    left: tuple[str, ...] = ()  # we could not change what these expect, or it may not decide
    # Expected files, by their paths from the root, and tests that fail if such a file is spoilt.
    golden: tuple[tuple[str, str], ...] = ()
