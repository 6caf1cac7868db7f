"""Contracts as text, and short ways to read them."""

from goalkeeper.core.contract.document import Contract, read_text

WHOLE = r"""
criteria:
  - id: C1
    text: malformed rows are rejected with a reason
    check: {pytest: tests/test_intake.py, min_tests: 3}
    paths: [src/intake/**, tests/test_intake.py]
  - id: C2
    text: the whole suite stays green
    check: {command: [make, test]}
    guard: true
  - id: C3
    text: what nobody has seen is met too
    check: {pytest: held_out}
    held_out: /srv/held/test_secret.py
manifest:
  expected_paths: [src/intake/parse.py]
  min_file_count: 1
  commit_message_pattern: "^feat\\(intake\\):"
  bash_syntax_check: []
  forbidden_paths: []
  must_contain: [{path: src/intake/parse.py, pattern: "def reject"}]
scope: {touch: [src/intake/**, tests/test_intake.py], never: [.github/**]}
may_change: [tests/test_intake.py]
depends_on: [G001]
outcomes: ["a reviewer can see why a row was refused"]
outcomes_agent_leg: ["rows are sorted"]
user_leg_scope: the form is filled in by hand
participants: [agent, user]
"""


def criterion(check: str, *more: str) -> str:
    """A contract of one criterion, C1, on one line."""
    fields = ", ".join(("id: C1", "text: it holds", f"check: {{{check}}}", *more))
    return f"criteria: [{{{fields}}}]"


def contract(text: str) -> Contract:
    made = read_text(text)
    assert isinstance(made, Contract), made
    return made


def problems(text: str) -> list[str]:
    found = read_text(text)
    assert isinstance(found, tuple), found
    return [str(problem) for problem in found]
