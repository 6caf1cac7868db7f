"""Which ids of two runs mean the same test."""

from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.core.contract.test_ids import align_cases, find_form
from tests.tables import for_each

SAME = [
    ("reads the file, took 12ms", "reads the file, took 3 ms"),
    ("tests/t.bats > waits (0.003s)", "tests/t.bats > waits (1.2s)"),
    ("ended after 2 seconds", "ended after 13 seconds"),
    ("log of 2024-05-01T10:11:12.5Z", "log of 2026-11-17T09:00:00.25Z"),
    ("log of 2024-05-01 10:11:12+02:00", "log of 2026-11-17 09:00:00+01:00"),
    ("began at 10:11:12", "began at 9:00:00.123"),
    ("tests/test_a.py::test_b[<object at 0x7f3a5c0d2e10>]",
     "tests/test_a.py::test_b[<object at 0x7fbb10aa0040>]"),
    ("t[/tmp/pytest-of-root/pytest-0/t0/a.txt]", "t[/tmp/pytest-of-dev/pytest-13/t0/a.txt]"),
    ("writes /var/folders/zz/abc/T/tmp1x2y", "writes /var/folders/yy/def/T/tmp9z8q"),
    ("opens '/tmp/tmpab12cd'", "opens '/tmp/tmpzz99qq'"),
    ("GET http://127.0.0.1:41234/a", "GET http://127.0.0.1:50001/a"),
    ("listens on port 41234", "listens on port 50001"),
    ("ends pid 1234", "ends pid 99871"),
    ("stamp 1714558272", "stamp 1795000000"),
    ("stamp 1714558272123", "stamp 1795000000999"),
    ("t.py::test_parse[a=b-expected13]", "t.py::test_parse[a=b-expected14]"),
    ("job 123e4567-e89b-12d3-a456-426614174000", "job 00000000-e89b-12d3-a456-426614174fff"),
]  # fmt: skip
OTHERS = [
    ("test_a[1]", "test_a[2]"),
    ("test_a[2024-05-01]", "test_a[2024-05-02]"),
    ("test_a[0x1f]", "test_a[0x20]"),
    ("handles status 404", "handles status 500"),
    ("version 1.2.3", "version 1.2.4"),
    ("test_10_items", "test_20_items"),
    ("reads tests/tmp/a.txt", "reads tests/tmp/b.txt"),
    ("3 suites pass", "4 suites pass"),
    ("took 12ms to fail", "took 12ms to pass"),
]


def align(*pairs: tuple[str, str]) -> list[str]:
    """The first of each pair was in the other run, the second is in this one."""
    cases = [TestCase(now, Outcome.PASSED) for _, now in pairs if now]
    return [case.id for case in align_cases(cases, {before for before, _ in pairs if before})]


@for_each("pair", SAME)
def test_what_every_run_makes_anew_does_not_make_another_test(pair: tuple[str, str]) -> None:
    assert find_form(pair[0]) == find_form(pair[1])
    assert align(pair, ("x", "x")) == [pair[0], "x"]


@for_each("pair", OTHERS)
def test_what_the_author_wrote_makes_another_test(pair: tuple[str, str]) -> None:
    assert align(pair, ("x", "x")) == [pair[1], "x"]


def test_a_row_that_is_added_to_a_table_moves_others_and_hides_none() -> None:
    before = [f"test_a[{value}-expected{n}]" for n, value in enumerate("xyz")]
    after = [f"test_a[{value}-expected{n}]" for n, value in enumerate("xnyz")]
    cases = [TestCase(name, Outcome.PASSED) for name in after]

    aligned = [case.id for case in align_cases(cases, before)]

    assert aligned == [before[0], "test_a[n-expected1]", *before[1:]]
    gone = [TestCase(name, Outcome.PASSED) for name in after[:3]]
    assert before[2] not in [case.id for case in align_cases(gone, before)]
    plain = [TestCase(f"test_a[case{n}]", Outcome.PASSED) for n in range(2)]
    assert align_cases(plain, [f"test_a[case{n}]" for n in range(3)]) == tuple(plain)


def test_two_tests_of_one_run_never_become_one() -> None:
    assert align(("waits 1ms", "waits 1ms"), ("", "waits 2ms")) == ["waits 1ms", "waits 2ms"]
    assert align(("a 1ms", "a 3ms"), ("a 2ms", "")) == ["a 3ms"]
    assert align(("a 1ms", "a 3ms"), ("", "a 4ms")) == ["a 3ms", "a 4ms"]
