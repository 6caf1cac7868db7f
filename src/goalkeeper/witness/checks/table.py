"""Every kind of check and the function that carries it out."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.witness.check_context import CheckContext, CheckResult, CheckRunner
from goalkeeper.witness.checks import captures, data, files, history, moments, programs, suites
from goalkeeper.witness.checks.http import check_http
from goalkeeper.witness.checks.metric import check_metric
from goalkeeper.witness.checks.replay import check_replay

CHECKS: Mapping[str, CheckRunner] = {
    "command": programs.check_command,
    "shell": programs.check_shell,
    "pytest": suites.pytest,
    "junit": suites.check_junit,
    "tap": suites.check_tap,
    "metric": check_metric,
    "http": check_http,
    "file": files.check_file,
    "expected_paths": files.expected_paths,
    "forbidden_paths": files.forbidden_paths,
    "must_contain": files.must_contain,
    "bash_syntax_check": files.bash_syntax_check,
    "commit_message_pattern": history.commit_message_pattern,
    "git": history.check_git,
    "json": data.check_json,
    "jsonl": data.check_jsonl,
    "after_time": moments.after_time,
    "file_exists_after": moments.file_exists_after,
    "goal_completed_after": moments.goal_completed_after,
    "replay": check_replay,
    "screenshot": captures.check_capture,
    "pty": captures.check_capture,
    "automation": captures.check_capture,
    "question": data.report_unanswered,
    "manual": data.report_unanswered,
}


def run_check(check: Check, place: CheckContext) -> CheckResult:
    return CHECKS[check.kind](check, place)
