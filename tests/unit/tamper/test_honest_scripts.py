"""Honest work on JavaScript closes no gate; what resembles it does."""

import json

from goalkeeper.core.contract.changes import FileChange
from tests.unit.tamper.diffs import added, changed, judged

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


def test_a_member_may_be_written_as_a_text() -> None:
    new = TAPE.replace("assert.throws(", "assert['throws'](")

    assert judge_test(TAPE, new) == judge_test(new, TAPE) == {"expectation-changed"}  # is a note
    gone = new.replace("  assert['throws'](() => rate(-1), /below zero/);\n", "")
    assert judge_test(new, gone) == {"assertion-weakened"}


def judge_scripts(before: dict[str, str], after: dict[str, str]) -> set[str]:
    old, new = (json.dumps({"scripts": each}) for each in (before, after))
    return judged(changed("package.json", old, new))[0] - {"runner-config-changed"}


def test_a_script_may_run_more_tests() -> None:
    def judge(before: str, after: str) -> set[str]:
        return judge_scripts({"test": f"tap {before}"}, {"test": f"tap {after}"})

    assert judge("test/*.test.js", "'test/**/*.test.js'") == set()
    assert judge("test/*.test.js", "'test/**/a*.test.js'") == {"command-neutered"}
    assert judge("'test/*'", "'test/**/*.js'") == judge("test", "'test/**/*.js'") == set()
    assert judge("'test/*'", "'test/unit/*.js'") == {"command-neutered"}


def test_a_script_may_be_called_in_another_way() -> None:
    lint, tests = "npm run lint && evalmd README.md", "npm run test:unit"
    apart = {"pretest": lint.replace("run", "run --silent"), "test": "npm run -s test:unit"}

    assert judge_scripts({"test": f"{lint} && {tests}"}, apart) == set()
    assert judge_scripts({"test": f"{lint} && {tests}"}, {"test": "npm run -s build"}) == {
        "command-neutered"
    }
    types = {"prelint": "tsc", "lint": "eslint .", "postlint": "attw -P"}
    later = {"prelint": "attw -P", "lint": "eslint .", "postlint": "tsc"}
    assert judge_scripts(types, later) == set()
    assert judge_scripts(types, {**types, "prelint": "node -v"}) == {"command-neutered"}
    shown = {"preview-test": "jest test/a"}
    hidden = {"preview-test": "true", "view-test": "jest test/a"}
    assert judge_scripts(shown, hidden) == {"command-neutered"}
    for before, after in (
        ("npx jest", "jest"),
        ("npx aud --production", "aud --production"),
        ("node test/index.js", "node test"),
        ("node --harmony test.js", "node --harmony test"),
    ):
        assert judge_scripts({"test": before}, {"test": after}) == set(), after
    assert judge_scripts({"test": "node test/run.js"}, {"test": "node test/run-none"}) == {
        "command-neutered"
    }


def test_a_text_in_which_something_is_replaced_is_no_double() -> None:
    test = "test('rate', (t) => {{\n  t.equal(rate('v'){}, 'v');\n}});\n"
    changes = changed("test/rate.test.js", test.format(""), test.format(".replace('v', '')"))

    assert "subject-mocked" not in judged(changes)[0]


def test_a_makefile_may_go_and_a_target_of_it_is_missed() -> None:
    make = "test:\n\tpytest -q\n\nclean:\n\trm -r build\n"

    gone = FileChange("Makefile", "Makefile", make.encode(), None)
    assert judged(gone) == (set(), {"command-neutered"})
    assert judged(changed("Makefile", make, make.partition("clean")[2]))[0] == {"command-neutered"}


def test_a_parameter_may_be_called_as_a_function_of_a_runner_is() -> None:
    given = "function f(test) { if (typeof test !== 'function') { throw new TypeError(); } }\n"
    around = "(function (test) { return typeof test === 'function'; })(globalThis['te' + 'st']);\n"
    inside = "function f(x) { return typeof test === 'function'; }\n"

    assert judged(added("src/set.js", given))[0] == set()
    twice = "function f(a) { return typeof a === typeof test; }\n"
    other = "function f(a) { return !a !== (typeof test)[9]; }\n"
    for asks in (around, inside, twice, other):
        assert judged(added("src/set.js", asks))[0] == {"test-env-branch"}


def test_what_a_build_reads_is_no_product() -> None:
    asks = "module.exports = { minimize: process.env.NODE_ENV !== 'test' };\n"

    assert judged(added("webpack.config.js", asks))[0] == set()
    assert judged(added("src/app.config.js", asks))[0] == {"test-env-branch"}
