"""Honest work on JavaScript closes no gate; what resembles it does."""

import json

from tests.unit.tamper.diffs import changed, judged

TAPE = """\
const test = require("tape");
const rate = require("../rate");

test("rates ten", function (assert) {
  assert.equal(rate(10), 3);
  assert.throws(() => rate(-1), /below zero/);
  assert.end();
});
"""
OTHER = TAPE.replace("assert", "tt")


def judge_test(old: str, new: str) -> set[str]:
    return judged(changed("test/rate.js", old, new))[0]


def test_a_test_may_call_its_object_as_it_likes() -> None:
    assert judge_test(TAPE, OTHER) == set()
    assert judge_test(TAPE, OTHER.replace("equal(rate(10), 3)", "ok(rate(10))")) == {
        "assertion-weakened"
    }


def test_what_an_error_says_may_be_given_as_a_property() -> None:
    said = OTHER.replace("/below zero/", "{ message: /below zero/ }")

    assert judge_test(TAPE, said) == {"expectation-changed"}
    assert judge_test(TAPE, said.replace("below zero", ".*")) == {"assertion-weakened"}


def test_only_a_condition_may_skip() -> None:
    marked = TAPE.replace('"rates ten", ', '"rates ten", { skip: VALUE }, ')

    assert judge_test(TAPE, marked.replace("VALUE", "!isOld")) == set()
    assert judge_test(TAPE, marked.replace("VALUE", "true")) == {"skip-added"}


def test_a_mere_pass_may_go() -> None:
    assert judge_test(TAPE.replace("assert.end()", "assert.pass();\n  assert.end()"), TAPE) == set()


def test_a_script_may_run_more_tests() -> None:
    def judge(before: str, after: str) -> set[str]:
        old, new = (json.dumps({"scripts": {"test": f"tap {each}"}}) for each in (before, after))
        return judged(changed("package.json", old, new))[0]

    assert judge("test/*.test.js", "'test/**/*.test.js'") == set()
    assert judge("test/*.test.js", "'test/**/a*.test.js'") == {"command-neutered"}
