"""What a file of JavaScript says of one of its tests."""

import pytest

from goalkeeper.tamper.questions.script.own_text import read_own_script
from goalkeeper.tamper.syntax import Source

FILE = """\
import { test, describe, before } from "node:test";
const zone = "TZ";

test("one", () => {
  first();
});

describe("files", () => {
  before(() => chdir());
  test("two", () => second());
  test("three", () => third());
});

for (const each of [1, 2]) test(`four ${each}`, () => fourth(each));
"""


@pytest.mark.parametrize(
    ("line", "has", "has_not"),
    [
        (5, ["TZ", "first"], ["chdir", "second", "third", "fourth"]),
        (10, ["TZ", "chdir", "second"], ["first", "third", "fourth"]),
        (14, ["TZ", "fourth"], ["first", "chdir", "second"]),
    ],
)
def test_a_test_has_what_is_around_it(line: int, has: list[str], has_not: list[str]) -> None:
    found = read_own_script(Source("a.test.js", FILE), line)

    assert [word for word in has if word not in found] == []
    assert [word for word in has_not if word in found] == []
