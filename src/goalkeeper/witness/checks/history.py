"""`git` and `commit_message_pattern`: what the history since base says."""

from __future__ import annotations

import re

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.globs import matching
from goalkeeper.witness.check_context import Place, Seen, failed, passed


def git(check: Check, place: Place) -> Seen:
    match check.main:
        case "clean":
            clean = place.work.is_clean()
            return passed("clean") if clean else failed("there are changes that are not committed")
        case "scope":
            return scope(place.work.changed, check.options["touch"], check.options["never"])
        case _:
            return _commits(check, place, check.options["grep"], check.options["paths"])


def commit_message_pattern(check: Check, place: Place) -> Seen:
    return _commits(check, place, check.main, ())


def _commits(check: Check, place: Place, pattern: str, paths: tuple[str, ...]) -> Seen:
    found = place.work.commits(*(f":(glob){path}" for path in paths))
    fitting = [c for c in found if not pattern or re.search(pattern, c.message, re.MULTILINE)]
    least = check.options["min_count"]
    said = f"{len(fitting)} of {len(found)} commits since base fit"
    return passed(said) if len(fitting) >= least else failed(f"{said}, expected {least}")


def scope(changed: tuple[str, ...], touch: tuple[str, ...], never: tuple[str, ...]) -> Seen:
    """Return whether a change stays inside `touch`, if it is given, and outside of `never`."""
    inside = set(matching(changed, touch)) if touch else set(changed)
    wrong = [path for path in changed if path not in inside] + matching(changed, never)
    return failed(f"outside the scope: {', '.join(wrong[:5])}") if wrong else passed("in scope")
