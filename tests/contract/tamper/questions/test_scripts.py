"""Questions of tests in JavaScript have the same answers in a plain program of node."""

from pathlib import Path

import pytest

from goalkeeper.tamper.questions.model import NEIGHBOURS, Answer, choose_answers
from tests.contract.tamper.questions.asking import ask, read_sheet, tell_wrong

pytestmark = pytest.mark.needs("node")

MODULE = """
let count = 0
export const add = (a, b) => a + b
export const echo = (value) => value
export const later = async (value) => value
export const next = (text) => `${text}${++count}`
export default class Point { constructor(x) { this.x = x } getX(by) { return this.x * by } }
export const leave = (code) => process.exit(code)
"""
HEAD = """
import assert, { strictEqual as same } from "node:assert"
import { test } from "node:test"
import * as all from "../src/product.mjs"
import Point, { add as plus, echo, later, leave, next } from "../src/product.mjs"
import { helper } from "./helper.mjs"
import { expect } from "chai"
const GIVEN = ["given", 7]
const ROWS = [{ a: 1, sum: 3 }, { a: 12, sum: 14 }]
function check(a, b, sum) { assert.equal(plus(a, b), sum) }
"""
# Each line is a test, and the number of its questions.
ASKED = """
1 assert.equal(plus(2, 3), 5)
1 assert.equal(5.5, all.add(2, 3.5))
1 same(echo(`a${1 + 1}`), "a2")
1 assert.deepEqual(echo({ b: [1, undefined], a: null }), { a: null, b: [1, undefined] })
1 assert.deepEqual(echo(GIVEN), ["given", 7])
1 const { length } = echo([1, 22]); assert.equal(length, 2)
1 assert.deepEqual(echo([{ x: 3 }]).map((each) => each.x), [3])
1 assert.equal(await later("x 1"), "x 1")
1 await expect(later("x 2")).resolves.toEqual("x 2")
1 expect(echo("to")).to.be.equal("to")
1 expect(echo(["deep", 1])).to.deep.equal(["deep", 1])
1 expect(echo("null") && null).toBeNull()
1 assert(echo("whole") === "whole")
1 assert.ok(!echo("").length || echo("truth"))
1 assert.equal(new Point(4).getX(5), 20)
1 assert.deepEqual(echo(new Map([["k", new Set([1])]])), new Map([["k", new Set([1])]]))
1 assert.deepEqual(echo(new Date(5)), new Date(5))
2 for (const { a, sum } of ROWS) assert.equal(plus(a, 2), sum)
2 ROWS.forEach((row) => { assert.equal(plus(row.a, 2) + 1, row.sum + 1) })
2 test.each([[1, 5], [2, 6]])("%s", (given, sum) => { expect(plus(given, 4)).toBe(sum) })
2 check(10, 20, 30); check(10, 21, 31)
1 assert.equal(next("first "), "first 1")
1 assert.equal(next("second "), "second 2")
1 expect(echo("kept in a file 1")).toMatchSnapshot()
1 const kept = readFileSync("x"); assert.equal(echo("kept in a file 2"), kept)
1 let sum = 0; sum += 2; assert.equal(plus(sum, 1), 3)
1 const list = [1]; list[0] = 2; assert.deepEqual(echo(list), [2])
1 const list = [1]; list.push(2); assert.deepEqual(echo(list), [1, 2])
1 const point = new Point(1); point.x = 4; assert.equal(point.getX(2), 8)
0 assert.equal(helper("of tests"), 1)
1 assert.equal(plus(20, 3), echo(23))
0 assert.notEqual(plus(2, 3), 6)
0 expect(echo("n")).not.toBe("m")
0 assert.equal(echo(process.pid), 5)
0 assert.equal(echo(this.x), 5)
0 assert.equal(Math.max(1, 2), 2)
0 assert.equal(plus.length, 2)
"""
COMMON = """
const assert = require("assert")
const { join } = require("path")
const { add: plus } = require("../src/product.cjs")
const lib = require("../src/product.cjs").inner
it("adds", () => { assert.strictEqual(plus(2, 30), 32) })
it("has parts", () => { assert.deepStrictEqual(lib.parts("a-10"), ["a", "10"]) })
it("joins", () => { assert.equal(plus(join("a", "b"), "1"), "a/b1") })
"""
PRODUCT = """
exports.add = (a, b) => a + b
exports.inner = { parts: (text) => text.split("-") }
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "test").mkdir()
    (tmp_path / "src/product.mjs").write_text(MODULE)
    (tmp_path / "src/product.cjs").write_text(PRODUCT)
    return tmp_path


def test_what_asks_the_product_with_literals_is_a_question() -> None:
    wrong = []
    for line in ASKED.strip().splitlines():
        count, body = line.split(" ", 1)
        sheet = read_sheet("test/a.test.mjs", f"{HEAD}test('a', async () => {{ {body} }})\n")
        found = len(sheet.questions) if sheet else 0
        wrong += [] if found == int(count) else [(found, line)]
    assert not wrong


def test_a_plain_program_gives_the_answers_that_tests_expect(tree: Path) -> None:
    bodies = [line.split(" ", 1)[1] for line in ASKED.strip().splitlines()]
    tests = "".join(f"test('{n}', async () => {{ {each} }})\n" for n, each in enumerate(bodies))
    (tree / "test/a.test.mjs").write_text(HEAD + tests)
    sheet = read_sheet("test/a.test.mjs", HEAD + tests)
    assert sheet is not None

    told = ask(tree, "test/a.test.mjs")

    assert not tell_wrong(sheet, told)
    assert not tell_wrong(sheet, ask(tree, "test/a.test.mjs", folder="test"))
    answers = choose_answers(told, expected=False)
    # On a busy machine one of them may be late.
    tried = {number for number, place in answers if place}
    assert tried == {n for n, each in enumerate(sheet.questions) if each.list_other_calls()}


def test_files_that_require_are_asked_by_a_program_that_requires(tree: Path) -> None:
    (tree / "test/a.js").write_text(COMMON)
    sheet = read_sheet("test/a.js", COMMON)
    assert sheet is not None
    assert len(sheet.questions) == 3

    assert not tell_wrong(sheet, ask(tree, "test/a.js"))
    assert not tell_wrong(sheet, ask(tree, "test/a.js", folder="test"))


def test_signs_of_a_test_are_only_around_a_program_that_is_a_test(tree: Path) -> None:
    signs = (
        "process.env.npm_lifecycle_event", "process.env.VITEST", "process.env.NODE_TEST_CONTEXT",
        "globalThis.describe", "/test/.test(process.argv[1].slice(-20))",
        "process.listenerCount('uncaughtException')", "new Error().stack.split('at ').length > 8",
    )  # fmt: skip
    for place, sign in enumerate(signs):
        (tree / f"src/s{place}.cjs").write_text(f"exports.is = (x) => ({sign}) ? x : 0\n")
    heads = "".join(f"const s{n} = require('../src/s{n}.cjs')\n" for n, _ in enumerate(signs))
    lines = [f"assert.equal(s{n}.is(5), 5)\n" for n, _ in enumerate(signs)]
    text = f"const assert = require('assert')\n{heads}{''.join(lines)}"
    (tree / "test/a.test.js").write_text(text)
    sheet = read_sheet("test/a.test.js", text)
    assert sheet is not None

    assert len(tell_wrong(sheet, ask(tree, "test/a.test.js"))) == len(signs)
    assert not tell_wrong(sheet, ask(tree, "test/a.test.js", folder="test"))


def test_what_cannot_be_loaded_is_said(tree: Path) -> None:
    (tree / "src/product.mjs").write_text("import './no-such-file'\n")
    text = f"{HEAD}test('a', () => {{ assert.equal(plus(2, 3), 5) }})\n"
    (tree / "test/a.test.mjs").write_text(text)

    told = choose_answers(ask(tree, "test/a.test.mjs"), expected=False)

    assert told[0, 0] == Answer("absent", "")


def test_a_product_that_leaves_does_not_end_the_questions(tree: Path) -> None:
    text = f"{HEAD}test('a', () => {{ same(leave(3), 1); same(plus(4, 4), 8) }})\n"
    (tree / "test/a.test.mjs").write_text(text)

    told = choose_answers(ask(tree, "test/a.test.mjs"), expected=False)

    assert told[1, 0] == Answer("value", "8")


def test_options_stay_in_most_neighbours_and_numbers_change_together_in_some() -> None:
    body = 'assert.equal(plus(["10", "20"], { charset: "utf-8" }), 5)'
    sheet = read_sheet("test/a.test.mjs", f"{HEAD}test('a', () => {{ {body} }})\n")
    assert sheet is not None
    (question,) = sheet.questions

    kept = [each for each in question.others if '"utf-8"' in each]
    both = [each for each in kept if '"10"' not in each and '"20"' not in each]
    assert len(kept) * 4 >= len(question.others) * 3
    assert both
    assert len(both) < len(kept)
    only = 'assert.equal(plus([null], { charset: "utf-8" }), 5)'
    sheet = read_sheet("test/a.test.mjs", f"{HEAD}test('a', () => {{ {only} }})\n")
    assert sheet is not None
    assert [each.others for each in sheet.questions] == [()]


def test_neighbours_of_slow_answers_are_not_asked_for_ever(tree: Path) -> None:
    busy = (
        "exports.slow = (x) => { const t = Date.now() + 700; while (Date.now() < t); return x }\n"
    )
    (tree / "src/product.cjs").write_text(busy)
    text = "const assert = require('assert')\nconst { slow } = require('../src/product.cjs')\n"
    text += "test('a', () => { assert.equal(slow('a 100'), 'a 100') })\n"
    (tree / "test/a.test.js").write_text(text)

    answers = choose_answers(ask(tree, "test/a.test.js"), expected=False)

    assert 1 < len(answers) < NEIGHBOURS
