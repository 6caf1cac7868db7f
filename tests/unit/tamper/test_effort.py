"""The work of a reading grows with the change, and not faster. Calls are counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.tamper.memory import forget_readings
from goalkeeper.tamper.review import review
from tests.tables import for_each

Write = Callable[[int, int, int], str]


def change_many(write: Write, end: str, count: int) -> list[FileChange]:
    return [change(f"tests/test_{k}.{end}", write(k, 2, 1), write(k, 2, 2)) for k in range(count)]


def change(path: str, old: str | None, new: str) -> FileChange:
    before = None if old is None else old.encode()
    return FileChange(path, "" if old is None else path, before, new.encode())


def test_each_side_of_a_change_is_parsed_once_however_many_files_there_are() -> None:
    changes = change_many(write_python, "py", 6)
    read(changes)

    _, parsed = count_calls(lambda: read(changes))

    assert parsed == 2 * len(changes)


@for_each(
    "make",
    [
        change_many,
        lambda write, end, n: [change(f"tests/test_a.{end}", write(0, n, 1), write(0, n, 2))],
        lambda write, end, n: [
            FileChange(f"tests/new/test_{k}.{end}", f"tests/test_{k}.{end}", text, text)
            for k in range(n)
            for text in [write(k, 2, 1).encode()]
        ],
        lambda write, end, n: [
            *change_many(write, end, 2),
            *(change(f"tests/new/test_{k}.{end}", None, write(k, 2, 1)) for k in range(n)),
        ],
    ],
)
@for_each("language", ["py", "test.ts"])
def test_twice_the_change_is_at_most_twice_the_work(
    make: Callable[[Write, str, int], list[FileChange]], language: str
) -> None:
    write = write_python if language == "py" else write_script
    once, twice = make(write, language, 6), make(write, language, 12)
    read(twice)  # what is read of the catalogue is no work on the change

    first, _ = count_calls(lambda: read(once))
    second, _ = count_calls(lambda: read(twice))

    assert second < 2.1 * first


@for_each("language", ["py", "test.ts"])
def test_a_helper_that_asserts_nothing_is_not_read_at_each_of_its_calls(language: str) -> None:
    """What tests call stays as large as it is, and is called twice as often."""
    write = write_python_maker if language == "py" else write_script_maker
    few, many = (
        [change(f"tests/test_a.{language}", write(calls, 1), write(calls, 2))] for calls in (6, 12)
    )
    read(many)

    first, _ = count_calls(lambda: read(few))
    second, _ = count_calls(lambda: read(many))

    assert second < 1.6 * first


def test_a_script_without_a_telling_word_is_not_parsed() -> None:
    """Long files are read in the time of a search, on both sides."""
    line = "export const a{0} = (n) => rate(n, {0}, [{0}, 'text']);\n"
    old, new = ("".join(line.format(n) for n in range(count)) for count in (400, 800))
    spoken = "if (process.env.CI) rate();\n"

    dull, _ = count_calls(lambda: read([change("src/a.ts", old, new)]))
    telling, _ = count_calls(lambda: read([change("src/a.ts", old, new + spoken)]))

    assert dull < telling / 4


def read(changes: list[FileChange]) -> None:
    forget_readings()
    tree = {each.path: each.new for each in changes}
    assert review(changes, tree=tree.get, tests=[*tree]) is not None


def count_calls(work: Callable[[], None]) -> tuple[int, int]:
    """Return how many calls some work takes, and how many of them parse Python."""
    calls = parsed = 0

    def count(_frame: object, event: str, called: object) -> None:
        nonlocal calls, parsed
        calls += event == "call"
        parsed += event == "c_call" and called is compile

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls, parsed


def write_python(number: int, tests: int, value: int) -> str:
    head = "LIMIT = 3\n\n\ndef give(n):\n    assert n is not None\n"
    body = "    value = rate({0}, {1})\n    assert value == {2}\n    give(value)\n"
    case = "\n\ndef test_{1}_{0}():\n" + body
    return head + "".join(case.format(i, number, value) for i in range(tests))


def write_script(number: int, tests: int, value: int) -> str:
    head = "function give(n) {\n  expect(n).toBeDefined();\n}\n"
    body = "  const value = rate({0}, {1});\n  expect(value).toBe({2});\n  give(value);\n"
    case = '\ntest("rates {1} {0}", () => {{\n' + body + "}});\n"
    return head + "".join(case.format(i, number, value) for i in range(tests))


def write_python_maker(calls: int, value: int) -> str:
    body = "".join(f"    total = add(total, {n})\n" for n in range(40))
    head = f"def make(total):\n{body}    return total\n"
    called = "".join(f"    make({n})\n" for n in range(calls))
    return f"{head}\n\ndef test_rate():\n{called}    assert rate() == {value}\n"


def write_script_maker(calls: int, value: int) -> str:
    body = "".join(f"  total = add(total, {n});\n" for n in range(40))
    head = f"function make(total) {{\n{body}  return total;\n}}\n"
    called = "".join(f"  make({n});\n" for n in range(calls))
    return f'{head}\ntest("rates", () => {{\n{called}  expect(rate()).toBe({value});\n}});\n'
