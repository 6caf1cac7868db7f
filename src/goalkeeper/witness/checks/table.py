"""Every kind of check and the function that carries it out."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.witness.check_context import Place, Runner, Seen
from goalkeeper.witness.checks import captures, data, files, history, moments, programs, suites
from goalkeeper.witness.checks.http import http
from goalkeeper.witness.checks.metric import metric
from goalkeeper.witness.checks.replay import replay

CHECKS: Mapping[str, Runner] = {
    "command": programs.command,
    "shell": programs.shell,
    "pytest": suites.pytest,
    "junit": suites.junit,
    "tap": suites.tap,
    "metric": metric,
    "http": http,
    "file": files.file,
    "expected_paths": files.expected_paths,
    "forbidden_paths": files.forbidden_paths,
    "must_contain": files.must_contain,
    "bash_syntax_check": files.bash_syntax_check,
    "commit_message_pattern": history.commit_message_pattern,
    "git": history.git,
    "json": data.json,
    "jsonl": data.jsonl,
    "after_time": moments.after_time,
    "file_exists_after": moments.file_exists_after,
    "goal_completed_after": moments.goal_completed_after,
    "replay": replay,
    "screenshot": captures.capture,
    "pty": captures.capture,
    "automation": captures.capture,
    "question": data.needs_an_answer,
    "manual": data.needs_an_answer,
}


def carried_out(check: Check, place: Place) -> Seen:
    return CHECKS[check.kind](check, place)
