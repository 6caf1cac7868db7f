"""`command`, `shell` and `metric`: what follows from how a program ends."""

import sys
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.core.contract.check_kinds import CHECK_KINDS
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.witness.checks import find_runner
from tests.contract.witness.checks.places import Bench
from tests.tables import for_each

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
TOO_LONG = (
    "it hit the limit on time (timeout of the check, or else [witness] timeout in the base tree)"
)


@for_each("kind", CHECK_KINDS)
def test_every_kind_of_check_is_carried_out(kind: str) -> None:
    assert callable(find_runner(kind))


@for_each("kind", ["question", "manual"])
def test_what_people_must_answer_is_never_passed(kind: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.see(kind, "is it?").verdict is U


@for_each(
    ("text", "options", "verdict", "reason"),
    [
        ("exit 0", {}, P, "exit 0"),
        ("exit 3", {}, F, "exit 3, expected 0"),
        ("exit 3", {"exit": 3}, P, "exit 3"),
        ("exit 0", {"exit": 3}, F, "exit 0, expected 3"),
        ("echo first; echo why >&2; exit 1", {}, F, "exit 1, expected 0: why"),
        ("echo one; echo two; exit 1", {}, F, "exit 1, expected 0: two"),
        ("echo 12 passed", {"stdout": r"^\d+ passed$"}, P, "exit 0"),
        ("echo x; echo 12 passed", {"stdout": r"^12"}, P, "exit 0"),
        ("echo none", {"stdout": r"\d+ passed"}, F, r"stdout does not match \d+ passed"),
        ("echo ok >&2", {"stderr": "ok"}, P, "exit 0"),
        ("echo ok", {"stderr": "ok"}, F, "stderr does not match ok"),
        ("echo ok; exit 1", {"stdout": "ok"}, F, "exit 1, expected 0: ok"),
        ("printf 'caf\\351'", {"stdout": r"caf\\xe9"}, P, "exit 0"),
        ("sleep 60", {"timeout": 1}, U, TOO_LONG),
        ("kill -SEGV $$", {}, F, "it was killed by signal 11"),
        ("kill -KILL $$", {}, U, "it was killed by signal 9"),
        ("echo $WORD", {"env": {"WORD": "hello"}, "stdout": "^hello$"}, P, "exit 0"),
        ("pwd", {"cwd": "sub", "stdout": "/sub$"}, P, "exit 0"),
        ("true", {"cwd": "nowhere"}, U, "sh could not be started: there is no directory"),
        ("head -c 9000000 /dev/zero", {"stdout": "x"}, U, "stdout is too long to be searched"),
    ],
)
def test_a_command_ends_as_it_should_or_not(
    text: str, options: dict[str, Any], verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.write("sub/x")

    seen = bench.see("command", ["sh", "-c", text], **options)

    assert seen.verdict is verdict, seen
    assert seen.reason.startswith(reason)
    assert seen.ended is not None


NODE_FAILS = """
const { test, describe, it } = require("node:test");
const { strictEqual } = require("node:assert");
test("passes", () => {});
test("later", { todo: true }, () => { throw new Error("not yet"); });
describe("group", () => { it("adds up", () => strictEqual(1 + 1, 3, "the sum is wrong")); });
test("throws", () => { throw new Error("boom"); });
"""


@pytest.mark.needs("node")
@for_each(
    ("reporter", "said"), [("tap", ""), ("spec", "AssertionError [ERR_ASSERTION]: ")], ids=repr
)
def test_nodes_tests_are_summed_up_by_the_first_that_fails(
    reporter: str, said: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.write("a.test.js", NODE_FAILS)

    seen = bench.see("command", ["node", "--test", f"--test-reporter={reporter}", "a.test.js"])

    assert seen.reason == f"exit 1, expected 0: adds up: {said}the sum is wrong"


@for_each("program", ["no-such-program", "./no-such-file", "./plain.txt"])
def test_a_program_that_is_not_there_tells_nothing(program: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("plain.txt", "text")

    seen = bench.see("command", [program])

    assert seen.verdict is U
    assert seen.reason.startswith(f"{program} could not be started: ")


@for_each(
    ("text", "options", "verdict", "reason"),
    [
        ("test -e a.txt && echo yes", {}, P, "exit 0"),
        ("test -e b.txt", {}, F, "exit 1, expected 0"),
        ("false | cat", {}, F, "exit 1, expected 0"),
        ("echo x | grep y | cat", {}, F, "exit 1"),
        ("[[ a == a ]]", {}, P, "exit 0"),
        ("no-such-program --test", {}, U, "exit 127: a program it names cannot be run"),
        ("./a.txt", {}, U, "exit 126: a program it names cannot be run"),
        ("exit 127", {"exit": 127}, P, "exit 127"),
        ("no-such-program | cat", {}, U, "exit 127"),
        ("if", {}, F, "exit 2, expected 0"),
    ],
)
def test_shell_text_ends_as_it_should_or_not(
    text: str, options: dict[str, Any], verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.write("a.txt", "x")

    seen = bench.see("shell", text, **options)

    assert seen.verdict is verdict, seen
    assert seen.reason.startswith(reason)


@for_each(
    ("text", "options", "verdict", "reason"),
    [
        ("echo 42", {"min": 42}, P, "42"),
        ("echo 42", {"max": 41}, F, "42, expected ..41"),
        ("echo 42", {"min": 43, "max": 50}, F, "42, expected 43..50"),
        ("echo took 1.5e2 ms", {"max": 150}, P, "150"),
        ("echo -3.25", {"max": -3}, P, "-3.25"),
        ("echo .5", {"max": 1}, P, "0.5"),
        ("echo 7.", {"min": 7}, P, "7"),
        ("echo a 1, b 2", {"pattern": r"b (\d+)", "min": 2}, P, "2"),
        ("echo a 1, b 2", {"pattern": r"b \d+", "min": 2}, P, "2"),
        ("echo x; echo cover: 91%", {"pattern": r"^cover: (\d+)%$", "min": 90}, P, "91"),
        ("echo none", {"min": 0}, U, "no number by stdout"),
        ("echo a 1", {"pattern": r"b (\d+)", "min": 0}, U, "no number"),
        ("echo b x", {"pattern": r"b (\w+)", "min": 0}, U, "no number"),
        ("echo a", {"pattern": r"a(\d)?", "min": 0}, U, "no number"),
        ("echo 42; exit 1", {"min": 0}, U, "exit 1: there is no number to trust"),
        ("echo a; echo b", {"extract": "lines", "max": 2}, P, "2"),
        ("true", {"extract": "lines", "max": 0}, P, "0"),
        ("yes | head -c 9000000", {"extract": "lines", "max": 10}, U, "no number by lines"),
        ("echo '[1, 2]'", {"extract": "json_length", "min": 2}, P, "2"),
        ("echo '{\"a\": 1}'", {"extract": "json_length", "max": 0}, F, "1, expected ..0"),
        ("echo 3", {"extract": "json_length", "max": 9}, U, "no number by json_length"),
        ("echo '['", {"extract": "json_length", "max": 9}, U, "no number by json_length"),
        ("exit 4", {"extract": "exit_code", "max": 4}, P, "4"),
        ("exit 4", {"extract": "exit_code", "max": 3}, F, "4, expected ..3"),
        ("true", {"extract": "seconds", "max": 50}, P, ""),
        ("sleep 0.2", {"extract": "seconds", "max": 0.1}, F, ""),
        ("sleep 60", {"min": 0, "timeout": 1}, U, TOO_LONG),
    ],
)
def test_a_number_is_within_its_bounds_or_not(
    text: str, options: dict[str, Any], verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    seen = bench.see("metric", ["sh", "-c", text], **options)

    assert seen.verdict is verdict, seen
    assert seen.reason.startswith(reason)


def test_a_metric_without_its_program_tells_nothing(bench: Bench) -> None:
    assert bench.see("metric", ["no-such-program"], min=0).verdict is U


def test_deeply_nested_json_is_no_number(bench: Bench) -> None:
    code = "print('[' * 200000)"

    seen = bench.see("metric", [sys.executable, "-c", code], extract="json_length", max=5)

    assert seen.verdict is U
