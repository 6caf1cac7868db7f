"""Doctests with other expectations: every example that was changed fails, and the rest stays."""

import doctest
import types

import pytest

from goalkeeper.tamper.spoiling.doctests import spoil_doctests

MODULE = '''"""A module.

>>> add(1, 2)
3
"""


def add(a, b):
    """Add.

    >>> add(1,
    ...     1)
    2
    >>> add(2, 2) == 4
    True

    And more:

    >>> add([], [])
    []
    """
    return a + b


class Text:
    def quote(self):
        """What >>> is here is no example.

        >>> Text().quote()
        'it'"""
        return "it"


def loose():
    """Examples that need not be met word for word.

    >>> loose()
    Traceback (most recent call last):
    ZeroDivisionError: division by zero
    >>> [*range(20)]  # doctest: +ELLIPSIS
    [0, ..., 19]
    >>> 1  # doctest: +SKIP
    1
    """
    1 / 0
'''
PAGE = "How to\n======\n\n>>> 1 + 2\n3\n\nThat is all, 3 of it.\n"


def fail(text: str) -> dict[str, int]:
    """How many examples of each docstring fail."""
    module = types.ModuleType("calc")
    exec(text, module.__dict__)
    tests = doctest.DocTestFinder().find(module, "calc", module=False, globs=module.__dict__)
    runner = doctest.DocTestRunner(verbose=False)
    return {test.name: runner.run(test, out=lambda _: None).failed for test in tests}


@pytest.mark.parametrize("seed", ["one", "another"])
def test_every_example_that_can_be_changed_fails(seed: str) -> None:
    assert set(fail(MODULE).values()) == {0}

    found = spoil_doctests(MODULE, seed, path="src/pkg/calc.py")

    assert found is not None
    told = fail(found.text)
    assert told == {"calc": 1, "calc.add": 3, "calc.Text.quote": 1, "calc.loose": 0}
    names = {name for name in found.spoilt if name.startswith("pkg.")}
    assert names == {"pkg.calc", "pkg.calc.add", "pkg.calc.Text.quote"}
    assert [*map(len, found.text.splitlines())][:5] == [*map(len, MODULE.splitlines())][:5]


def test_a_page_is_one_test_and_its_prose_stays() -> None:
    found = spoil_doctests(PAGE, "one", path="docs/usage.rst")

    assert found is not None
    assert found.spoilt == ("usage.rst", "rst::usage.rst")
    before, after = PAGE.splitlines(), found.text.splitlines()
    assert [n for n, line in enumerate(before) if line != after[n]] == [4]
    assert spoil_doctests("Nothing to try.\n", "one", path="docs/usage.rst") is None
