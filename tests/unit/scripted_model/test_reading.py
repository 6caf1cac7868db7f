from __future__ import annotations

from typing import Any

import pytest

from tests.scripted_model.reading import ScriptInvalid, read_script
from tests.scripted_model.script import (
    Call,
    Failure,
    FreeformCall,
    Reply,
    Rule,
    Script,
    Usage,
    When,
)
from tests.tables import for_each


def problems(plain: object) -> list[str]:
    with pytest.raises(ScriptInvalid) as caught:
        read_script(plain)
    return caught.value.problems


def problem_of_turn(**turn: object) -> str:
    (problem,) = problems({"turns": [turn]})
    return problem


def turn(**plain: object) -> Reply | Failure:
    (read,) = read_script({"turns": [plain]}).turns
    return read


def test_an_empty_script_says_done() -> None:
    assert read_script({}) == Script(turns=(Reply("done"),), rules=(), side=None)


def test_one_call_may_stand_without_a_list() -> None:
    assert turn(tool="Write", input={"a": [1, None]}) == Reply(
        calls=(Call("Write", {"a": [1, None]}),)
    )
    assert turn(tool="up", namespace="mcp__echo") == Reply(calls=(Call("up", {}, "mcp__echo"),))
    assert turn(custom_tool="apply_patch", raw="***") == Reply(
        calls=(FreeformCall("apply_patch", "***"),)
    )


def test_calls_of_both_kinds_may_be_parallel() -> None:
    tools = [{"tool": "ls"}, {"custom_tool": "apply_patch", "raw": ""}]

    assert turn(tools=tools) == Reply(calls=(Call("ls"), FreeformCall("apply_patch", "")))


def test_all_that_a_reply_can_say_is_read() -> None:
    read = turn(
        text="hi", thinking="hm", stop="max_tokens", model="m2", delay=0.5, cut=True,
        usage={"input": 5, "output": 6, "cache_read": 7},
    )  # fmt: skip

    assert read == Reply("hi", "hm", (), Usage(5, 6, 7), "max_tokens", "m2", 0.5, cut=True)


def test_usage_that_is_not_told_is_estimated_later() -> None:
    assert turn(usage={"output": 1}) == Reply(usage=Usage(None, 1, 0))


def test_a_status_makes_an_error() -> None:
    read = turn(status=429, headers={"retry-after": "3"}, body={"a": 1}, delay=2)

    assert read == Failure(429, {"retry-after": "3"}, {"a": 1}, 2)


def test_rules_and_the_side_answer_are_read() -> None:
    script = read_script(
        {
            "rules": [
                {"when": {"api": "chat", "last": "(?i)sum", "tool": "ls"}, "turns": [{}]},
                {"when": {"notools": True}, "turns": [{"text": "a"}, {"status": 500}], "times": 2},
            ],
            "side": {"text": "title"},
        }
    )

    assert script.rules == (
        Rule(When(api="chat", last="(?i)sum", tool="ls"), (Reply(),)),
        Rule(When(notools=True), (Reply("a"), Failure(500)), 2),
    )
    assert script.side == Reply("title")


@for_each(
    ("plain", "problem"),
    [
        ([], "expected a mapping with turns, rules, side"),
        ({"turn": []}, "unknown field 'turn'; did you mean turns?"),
        ({"turns": {}}, "turns: expected a list"),
        ({"turns": []}, "turns: expected at least 1"),
        ({"side": "ok"}, "side: expected a mapping with"),
        ({"rules": [{"turns": [{}]}]}, "rules[0]: when is missing"),
        ({"rules": [{"when": {}}]}, "rules[0]: turns is missing"),
        ({"rules": [{"when": {}, "turns": []}]}, "rules[0].turns: expected at least 1"),
        ({"rules": [{"when": {}, "turns": [{}], "times": 0}]}, "rules[0].times: expected 1 to"),
        ({"rules": [{"when": {"api": "grpc"}, "turns": [{}]}]}, "rules[0].when.api: expected one"),
        ({"rules": [{"when": {"last": "("}, "turns": [{}]}]}, "rules[0].when.last: not a regular"),
        ({"rules": [{"when": {"tools": "a"}, "turns": [{}]}]}, "rules[0].when: unknown field"),
    ],
)  # fmt: skip
def test_a_problem_says_where_it_is(plain: object, problem: str) -> None:
    (found,) = problems(plain)

    assert found.startswith(problem)


@for_each(
    ("plain", "problem"),
    [
        ({"txt": "a"}, "turns[0]: unknown field 'txt'; did you mean text?"),
        ({"text": 5}, "turns[0].text: expected text"),
        ({"tool": ""}, "turns[0].tool: expected the name of a tool"),
        ({"tool": "a", "input": "b"}, "turns[0].input: expected an object"),
        ({"usage": {"in": 1}}, "turns[0].usage: unknown field 'in'; it has input, output"),
        ({"usage": {"input": -1}}, "turns[0].usage.input: expected 0 to"),
        ({"delay": -1}, "turns[0].delay: expected seconds, not less than 0"),
        ({"delay": True}, "turns[0].delay: expected a number"),
        ({"cut": "yes"}, "turns[0].cut: expected true or false"),
        ({"status": 200}, "turns[0].status: expected 400 to 599, not 200"),
        ({"status": 500, "headers": {"a": 1}}, "turns[0].headers.a: expected a header"),
        ({"status": 500, "headers": {"a": "b\nc"}}, "turns[0].headers.a: expected a header"),
        ({"status": 500, "text": "a"}, "turns[0]: an answer with a status has no text"),
        ({"body": {}}, "turns[0]: body goes with status, which is missing"),
        ({"input": {}}, "turns[0]: input goes with tool, which is missing"),
        ({"custom_tool": "a"}, "turns[0]: custom_tool goes with raw, which is missing"),
        ({"tool": "a", "tools": [{"tool": "b"}]}, "turns[0]: tool and tools do not go together"),
        ({"tools": [{}]}, "turns[0].tools[0]: tool or custom_tool is missing"),
        ({"tools": [{"tool": "a", "imput": {}}]}, "turns[0].tools[0]: unknown field 'imput'"),
    ],
)  # fmt: skip
def test_a_turn_that_makes_no_sense_is_refused(plain: dict[str, Any], problem: str) -> None:
    assert problem_of_turn(**plain).startswith(problem)


def test_every_problem_is_told_at_once() -> None:
    found = problems({"turns": [{"text": 1}, {"tool": []}], "sides": {}})

    assert len(found) == 3


def test_what_is_nested_without_end_is_a_problem_too() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"a": deep}

    assert problems({"turns": [{"tool": "a", "input": deep}]}) == ["nested too deep"]
