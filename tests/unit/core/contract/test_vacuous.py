"""Checks that cannot fail are refused when they are written; honest ones are not."""

import json

from tests.tables import for_each
from tests.unit.core.written_contracts import contract, criterion, problems

CANNOT_FAIL = [
    "true",
    "exit 0",
    "exit",
    "(exit 0)",
    "echo done",
    "echo 'all good';",
    "make test || true",
    "make test ||true",
    "make test || :",
    "make test || exit 0",
    "make test || echo failed",
    "make test || /bin/true",
    "make test || true # for now",
    "(make test || true)",
    "{ make test || true; }",
    "make test || { true; }",
    "make test; true",
    "make test; echo done",
    "make test\necho done",
    "make a; make b || true",
    "make test | true",
    "set -e; make test || true",
    "set -euo pipefail\nmake test || true",
]
CAN_FAIL = [
    "make test",
    "make test && true",
    "make test && echo ok",
    "make build; make test",
    "make test || exit 1",
    "make test || { echo broken; exit 1; }",
    "set -e; make test; echo ok",
    "set -euo pipefail\nmake test\necho ok",
    "set -e\nmake test\nmake clean || true",
    'for f in *.sh; do bash -n "$f" || exit 1; done\necho ok',
    "echo hello | grep -q hello",
    "test -f a || test -f b",
    "grep -q true file",
    "! grep -r TODO src",
    "[ $(wc -l < a) -gt 3 ]",
    "truely --version",
]


def quoted(text: str) -> str:
    return json.dumps(text)  # is YAML too


@for_each("text", CANNOT_FAIL)
@for_each(
    "check",
    [
        "shell: {}",
        "command: [bash, -c, {}]",
        "command: [sh, -ec, {}]",
        "command: [/bin/bash, -lc, {}]",
    ],
)
def test_a_text_that_cannot_fail_is_refused(text: str, check: str) -> None:
    (found,) = problems(criterion(check.format(quoted(text))))

    assert found.startswith("line 1: criterion C1: vacuous: ")
    assert "always succeeds" in found


@for_each("text", CAN_FAIL)
@for_each("check", ["shell: {}", "command: [bash, -c, {}]"])
def test_a_text_that_can_fail_is_not(text: str, check: str) -> None:
    assert contract(criterion(check.format(quoted(text)))).criteria


@for_each(
    ("written", "said"),
    [
        ("command: ['true']", "true always succeeds"),
        ("command: [/usr/bin/true]", "/usr/bin/true always succeeds"),
        ("command: [':']", ": always succeeds"),
        ("command: [bash, -c, ' : ;']", "': ;' always succeeds"),
        ("command: [echo, ok]", "echo always succeeds"),
        ("command: [printf, ok]", "printf always succeeds"),
        ("command: [sleep, '1']", "sleep always succeeds"),
        ("command: [echo, ok], stdout: '.*'", "echo always succeeds"),
        ("command: [echo, ok], stderr: ''", "echo always succeeds"),
        ("shell: make || true, stdout: 'x*'", "it ends in a command that always succeeds"),
        ("metric: [wc, -l]", "give min or max; without them every number will do"),
        ("metric: [wc, -l], pattern: '(\\d+)'", "give min or max"),
        ("file: '*'", "any file satisfies it"),
        ("file: '**'", "any file satisfies it"),
        ("file: '**/*'", "any file satisfies it"),
        ("file: ., min_count: 1", "any file satisfies it"),
        ("json: a.json", "give the field it must have"),
        ("must_contain: [{path: a, pattern: ''}]", "the pattern matches everything"),
        ("must_contain: [{path: a, pattern: x}, {path: b, pattern: '.*'}]", "matches everything"),
        ("commit_message_pattern: ''", "the pattern matches everything"),
        ("commit_message_pattern: '.*'", "the pattern matches everything"),
        ("commit_message_pattern: 'x?'", "the pattern matches everything"),
    ],
)
def test_a_check_that_cannot_fail_is_refused(written: str, said: str) -> None:
    (found,) = problems(criterion(written))

    assert found.startswith("line 1: criterion C1: vacuous: ")
    assert said in found


@for_each(
    "written",
    [
        "command: [echo, ok], stdout: '^no'",
        "command: ['true'], exit: 1",
        "command: [make, echo]",
        "command: [bash, run.sh]",
        "command: [bash, -n, run.sh]",
        "command: [bash]",
        "shell: make || true, stdout: 'all passed'",
        "metric: [wc, -l], min: 0",
        "file: '**', is: absent",
        "file: '**', contains: needle",
        "json: a.json, min_count: 1",
        "must_contain: [{path: a, pattern: x}]",
    ],
)
def test_a_check_that_asks_for_something_is_not(written: str) -> None:
    assert contract(criterion(written)).criteria


def test_a_guard_may_be_green_but_not_empty() -> None:
    assert problems(criterion("command: ['true']", "guard: true"))
