"""`git` and `commit_message_pattern`: what the history since base says."""

from __future__ import annotations

import re

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.globs import filter_paths
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.check_context import CheckContext, CheckResult, make_result

_OURS = late_pattern(
    "^Goalkeeper-Run: ", re.MULTILINE
)  # goalkeeper keeps an agent's work in commits


def check_git(check: Check, place: CheckContext) -> CheckResult:
    match check.main_option:
        case "clean":
            dirty = "" if place.work.is_clean() else "there are changes that are not committed"
            return make_result(dirty, "clean")
        case "scope":
            return check_changed_paths(
                place.work.changed, check.options["touch"], check.options["never"]
            )
        case _:
            return _check_commits(check, place, check.options["grep"], check.options["paths"])


def check_commit_message_pattern(check: Check, place: CheckContext) -> CheckResult:
    return _check_commits(check, place, check.main_option, ())


def _check_commits(
    check: Check, place: CheckContext, pattern: str, paths: tuple[str, ...]
) -> CheckResult:
    since = place.work.commits(*(f":(glob){path}" for path in paths))
    found = [commit for commit in since if not _OURS.search(commit.message)]
    fitting = [c for c in found if not pattern or re.search(pattern, c.message, re.MULTILINE)]
    least = check.options["min_count"]
    said = f"{len(fitting)} of {len(found)} commits since base fit"
    return make_result(f"{said}, expected {least}" if len(fitting) < least else "", said)


def check_changed_paths(
    changed: tuple[str, ...], touch: tuple[str, ...], never: tuple[str, ...]
) -> CheckResult:
    """Return whether a change stays inside `touch`, if it is given, and outside of `never`."""
    inside = set(filter_paths(changed, touch)) if touch else set(changed)
    wrong = [path for path in changed if path not in inside] + filter_paths(changed, never)
    return make_result(f"outside the scope: {', '.join(wrong[:5])}" if wrong else "", "in scope")
