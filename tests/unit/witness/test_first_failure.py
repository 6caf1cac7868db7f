"""The first test that failed is found in what runners print for people."""

from goalkeeper.witness.reports.first_failure import find_first_failure
from tests.tables import for_each

JEST = """FAIL __tests__/a.test.js
  sums
    ✕ is red (8 ms)

  ● sums › is red

    expect(received).toBe(expected) // Object.is equality

Tests:       1 failed, 1 passed, 2 total
Ran all test suites.
"""
VITEST = """⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  test/a.test.js > sums > is red
AssertionError: expected 2 to be 3
"""
PYTEST = """E       assert 1 == 2
=== short test summary info ===
FAILED tests/test_a.py::test_x[a b] - assert 1 == 2
FAILED tests/test_a.py::test_y
1 failed in 0.02s
"""
UNITTEST = """F.
======================================================================
FAIL: test_x (test_a.A.test_x)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/x/test_a.py", line 4, in test_x
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
FAILED (failures=1)
"""


@for_each(
    ("printed", "expected"),
    [
        (JEST, "sums › is red: expect(received).toBe(expected) // Object.is equality"),
        (VITEST, "test/a.test.js > sums > is red: AssertionError: expected 2 to be 3"),
        (PYTEST, "tests/test_a.py::test_x[a b]: assert 1 == 2"),
        (UNITTEST, "test_x (test_a.A.test_x): AssertionError: 1 != 2"),
        ("make: *** [Makefile:2: test] Error 1\n", ""),
    ],
)  # fmt: skip
def test_the_test_and_its_message_are_named(printed: str, expected: str) -> None:
    assert find_first_failure(printed) == expected
