"""Spoilt tests of JavaScript fail in the real runner, whatever form their expectation has."""

import subprocess
from pathlib import Path

import pytest

from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.tamper.spoiling.golden import spoil_golden
from goalkeeper.tamper.spoiling.javascript import spoil_javascript
from goalkeeper.witness.reports import tap

pytestmark = pytest.mark.needs("node")

PRODUCT = """
export const add = (a, b) => a + b
export const echo = (value) => value
export const later = async (value) => value
export const fail = () => { throw new TypeError("no such thing") }
export const breaks = async () => fail()
export class Point { constructor(x) { this.x = x } }
"""
HEAD = """
import assert, { strictEqual as same } from "node:assert"
import { readFileSync } from "node:fs"
import { format } from "node:util"
import { describe, it, test } from "node:test"
import { Point, add, breaks, echo, fail, later } from "./product.mjs"
const FIVE = 5
const GIVEN = "given"
const TABLE = [[1, 2, 3], [2, 2, 4]]
const ROWS = [{ a: 1, sum: 2 }, { a: 2, sum: 3 }]
function check(a, b, sum) { assert.equal(add(a, b), sum) }
function checkEcho(value) { assert.deepEqual(echo(value), value) }
const checkLater = async (value) => { assert.equal(await later(value), value) }
const given = (value) => value
class Anything extends Error { static [Symbol.hasInstance]() { return true } }
"""
# Each body is one test; its name is the body.
SPOILT = """
assert.equal(add(2, 3), 5)
assert.equal(5, add(2, 3))
assert.strictEqual(add(2, 0.25), 2.25)
assert.strictEqual(add(2n, 3n), 5n)
assert.equal(add(2, -3), -1)
assert.equal(add(2, 3), FIVE)
assert.equal(add(1e20, 0), 1e20)
assert.equal(add(0, 0x10), 0x10)
same(add("a", "b"), `ab`)
assert.equal(echo(""), "")
assert.equal(echo("--"), "--")
assert.equal(echo(GIVEN), GIVEN)
assert.equal(echo(`${GIVEN} x`), `${GIVEN} x`)
assert.equal(echo("a b"), "a" + " " + "b")
assert.equal(echo("a,b"), ["a", "b"].join(","))
assert.strictEqual(echo(null), null)
assert.equal(echo(undefined), null)
assert.strictEqual(echo(false), false)
assert.deepEqual(echo([1, { a: "b" }]), [1, { a: "b" }])
assert.deepEqual(echo([]), [])
assert.deepEqual(echo({}), {})
assert.deepEqual(echo({ a: 1, b: 2 }), { ...{ b: 1 }, a: 1, b: 2 })
assert.deepEqual(echo({ a: 1, b: 2 }), { a: 5, b: 2, ...{ a: 1 } })
assert.deepEqual(new Set([1, 2]), new Set([1, 2]))
assert.deepEqual(new Point(3), new Point(3))
globalThis.kept = true; assert.equal(add(1, 1), 2); delete globalThis.kept
assert.ok(!globalThis.kept)
assert.equal(echo(globalThis.kept), undefined)
assert.strictEqual(echo(globalThis.kept === true), false)
assert.ok(add(1, 1) === 2)
assert(add(1, 1) > 1)
assert.ok(!echo(0))
assert.match(echo("no such thing"), /such thing/)
assert.match(echo("ab"), /^a|c$/)
assert.doesNotMatch(echo("ab"), /c/)
assert.notEqual(add(1, 1), 3)
assert.throws(fail)
assert.throws(() => fail(), TypeError)
assert.throws(fail, Anything)
assert.throws(fail, /no such/)
assert.throws(fail, { message: "no such thing" })
assert.throws(fail, (error) => error instanceof TypeError)
assert.doesNotThrow(() => echo(1))
await assert.rejects(breaks(), /no such/)
await assert.rejects(breaks)
return assert.rejects(breaks(), TypeError)
return later(1).then((value) => { assert.equal(value, 1) })
const wanted = { a: [1] }; assert.deepEqual(echo({ a: [1] }), wanted)
const both = "x"; assert.equal(echo(both), both)
const got = add(1, 1); { assert.equal(got, 2) }
try { assert.equal(add(1, 1), 2) } finally { echo(1) }
for (const [a, b, sum] of TABLE) assert.equal(add(a, b), sum)
for (const row of ROWS) { assert.equal(add(row.a, 1), row.sum) }
for (let i = 0; i < 3; i++) { assert.equal(add(i, 1) - i, 1) }
[[1, 2], [3, 4]].forEach(([a, next]) => { assert.equal(a + 1, next) })
check(1, 2, 3)
checkEcho({ a: 1 })
await checkLater("b")
assert.equal(add(1, 1), given(2))
""".strip().splitlines()
# Their expectations may not decide; that the test comes to its end does.
ENDED = """
if (add(1, 1) === 3) assert.equal(add(1, 1), 3)
try { assert.equal(add(1, 1), 3) } catch { echo(1) }
for (const each of echo([])) assert.equal(each, 1)
echo([]).forEach((each) => { assert.equal(each, 1) })
echo(() => { assert.equal(1, 2) })
assert.rejects(breaks(), TypeError).catch(() => 1)
checkLater("c").catch(() => 1)
await later(1).then((value) => assert.equal(value, 1), () => 1).catch(() => 1)
echo(1) // not the end
""".strip().splitlines()
LEFT = """
if (add(1, 1) === 2) return; assert.equal(add(1, 1), 3)
if (add(1, 1) === 2) { return }
t.skip("not here"); assert.equal(1, 2)
""".strip().splitlines()
GROUPS = """
describe("outer", () => {
  it("is in a group", () => { assert.equal(add(1, 1), 2) })
  describe.skip("off", () => { it("is off", () => { assert.equal(add(1, 1), 2) }) })
})
for (const [a, b, sum] of [[1, 2, 3], [2, 2, 4]]) {
  test(`${a} and ${b}`, () => { assert.equal(add(a, b), sum) })
}
[{ a: 1, sum: 2 }, { a: 2, sum: 3 }].forEach((row) => {
  test(`one and ${row.a} is ${row.sum}`, () => { assert.equal(add(row.a, 1), row.sum) })
})
test.each = (rows) => (title, body) => rows.forEach((row) => {
  const told = row.slice(0, title.split("%").length - 1)
  test(format(title, ...told), () => body(...row))
})
test.each([[1, "b"], [2, "c"]])("%d is %s", (a, text) => { assert.equal(echo(text), text) })
test.each([[1, 2], [2, 3]])("%i has a next", (a, next) => { assert.equal(add(a, 1), next) })
test(echo("not known"), () => { assert.equal(add(1, 1), 2) })
function make(title, a, next) {
  test(title, () => { assert.equal(add(a, 1), next) })
}
make("made once", 1, 2)
make("made twice", 2, 3)
test("is called back", (t, done) => {
  setImmediate(() => { assert.equal(add(1, 1), 2); done() })
})
test("is done in two ways", (t, done) => {
  setImmediate(() => { if (add(1, 1) === 2) { done(); return } assert.equal(1, 2); done() })
})
test("as agreed", () => {
  const wanted = readFileSync(new URL("./expected/told.txt", import.meta.url), "utf8").trim()
  assert.equal(echo("one two"), wanted)
})
test("is twice", () => { assert.equal(add(1, 1), 2) })
test("is twice", () => { if (echo(1)) return })
test("is to do", { todo: true }, () => { assert.equal(add(1, 1), 2) })
test("has parts", async (t) => { await t.test("inner", () => { assert.equal(add(1, 1), 2) }) })
"""

NAMED = {
    "outer > is in a group", "has parts > inner", "1 and 2", "2 and 2", "one and 1 is 2",
    "one and 2 is 3", "1 is b", "2 is c", "is called back", "made once", "made twice",
    "1 has a next", "2 has a next",
}  # fmt: skip


def write_tests(bodies: list[str]) -> str:
    tests = [f"test('{body}', async (t) => {{ {body}\n}})" for body in bodies]
    return HEAD + "\n".join(tests) + GROUPS


def run_node(folder: Path, text: str, told: bytes = b"one two\n") -> dict[str, Outcome]:
    (folder / "product.mjs").write_text(PRODUCT)
    (folder / "a.test.mjs").write_text(text)
    (folder / "expected").mkdir(exist_ok=True)
    (folder / "expected/told.txt").write_bytes(told)
    argv = ["node", "--test", "--test-reporter=tap", "a.test.mjs"]
    done = subprocess.run(argv, cwd=folder, check=False, capture_output=True, timeout=60)
    return {case.id: case.outcome for case in tap.parse(done.stdout)}


@pytest.mark.thorough
def test_every_test_that_is_named_fails_with_other_expectations(tmp_path: Path) -> None:
    text = write_tests([*SPOILT, *ENDED, *LEFT])
    before = run_node(tmp_path, text)
    found = [spoil_javascript(text, seed, path="a.test.mjs") for seed in ("one", "two")]

    assert not {name for name, end in before.items() if end is Outcome.FAILED}
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].text != found[1].text
    assert found[0].spoilt == found[1].spoilt
    for spoilt in (found[0], found[1]):
        assert spoilt.golden == (("expected/told.txt", "as agreed"),)
        after = run_node(tmp_path, spoilt.text, spoil_golden(b"one two\n", "seed") or b"")
        assert after["as agreed"] is Outcome.FAILED
        assert spoilt.text.count("\n") == text.count("\n")
        assert set(after) == set(before)
        assert not {name for name in spoilt.spoilt if after[name] is not Outcome.FAILED}
    assert set(found[0].spoilt) == {*SPOILT, *ENDED, *NAMED}
    assert {*ENDED, *LEFT, "outer > off > is off", "is twice", "is to do"} <= set(found[0].left)
