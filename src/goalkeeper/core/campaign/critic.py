"""The critic of plans, as far as no judgement is needed: all findings at once, in plain words.

A plan is held to what it promises: every step can fail and says how, nothing leaves its fence,
and no command breaks the security rules. A legacy plan is advised, and never held back.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from goalkeeper.core.campaign.contracts import find_test, list_forbidden, name_step, read_manifest
from goalkeeper.core.campaign.expectations import is_kept_by_drive, make_criterion
from goalkeeper.core.campaign.findings import CriticFinding, PlanPlace
from goalkeeper.core.campaign.overlap import is_covered
from goalkeeper.core.campaign.plan import MasterPlan, PlannedCommand, PlannedSession, PlannedStep
from goalkeeper.core.campaign.runaway import may_run_away
from goalkeeper.core.campaign.whole_plan import find_faults_of_whole
from goalkeeper.core.contract.check_kinds import ARGV_KINDS
from goalkeeper.core.contract.document import Contract, read_plain, read_text
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.vacuous import explain_pattern
from goalkeeper.core.problems import Problem, clip_line
from goalkeeper.wire.pattern import late_pattern

FindDangers = Callable[[str], Sequence[str]]  # it says what is wrong with a command

_FACTS = ("commit_message_pattern", "bash_syntax_check", "forbidden_paths", "must_contain")
_ANY_FILE = frozenset({".", "*", "**", "**/*"})
_TYPE = late_pattern(r"(\w+)(?:\([^()]*\))?!?:\s*")
_SAYS_NOTHING = frozenset(
    """
    a an and bug bugs change changes checkpoint cleanup code commit done edit edits final fix fixed
    fixes for in it message minor misc more of progress save small some step stuff temp test the
    things tmp to update updated updates various wip work
    """.split()  # noqa: SIM905
)
_NO_TEST = late_pattern(r"\W*(?:none|no|not|n/a|nothing|existing)\b.*", re.IGNORECASE | re.DOTALL)
_MORE = "add the path to Touch, or take it out of the step"


_DANGEROUS = "dangerous-command"
_RECURS = "step-recurs"
# What waits for itself is never begun, and what recurs never ends.
_ALWAYS_BLOCK = {_DANGEROUS, "dependency-cycle", _RECURS}


def criticise(plan: MasterPlan, dangers: FindDangers) -> tuple[CriticFinding, ...]:
    """Find everything that is wrong with a plan; in a legacy plan nearly all of it is advice."""
    free = PlannedSession("", plan.title, plan.steps)
    found = [
        finding
        for session in (free, *plan.sessions)
        for step in session.steps
        if step.number > 0  # Step 0 is ours
        for finding in _criticise_step(session, step, dangers)
    ]
    for session in plan.sessions:
        found += _criticise_session(session, dangers)
    found += find_faults_of_whole(plan)
    is_lenient = plan.is_legacy
    return tuple(
        each.replace(is_blocking=False) if is_lenient and each.rule not in _ALWAYS_BLOCK else each
        for each in found
    )


def _criticise_step(
    session: PlannedSession, step: PlannedStep, dangers: FindDangers
) -> Iterator[CriticFinding]:
    place = PlanPlace(name_step(session.id, step), step.line)
    manifest = read_manifest(step.manifest, step.line or 1)
    problems = manifest if isinstance(manifest, tuple) else _list_problems({"manifest": manifest})
    if not step.manifest.strip() and not step.contract.strip():
        yield place.find(
            "manifest-missing", "The step has no manifest.", "say which paths it must leave behind"
        )
    for problem in problems:
        yield place.find("manifest-unreadable", f"{problem.message}.", "correct the manifest")
    if not problems and step.manifest.strip() and isinstance(manifest, dict):
        yield from _criticise_manifest(place, session, step, manifest)
    yield from _criticise_message(place, step)
    yield from _criticise_checks(place, step, dangers)
    yield from _criticise_test(place, session, step)


def _list_problems(contract: Mapping[str, Any]) -> tuple[Problem, ...]:
    read = read_plain(contract)
    return () if isinstance(read, Contract) else read


def _criticise_manifest(
    place: PlanPlace,
    session: PlannedSession,
    step: PlannedStep,
    manifest: Mapping[str, Any],
) -> Iterator[CriticFinding]:
    expected: list[str] = manifest.get("expected_paths") or []
    contained: list[dict[str, str]] = manifest.get("must_contain") or []
    is_counting = manifest.get("min_file_count") and not expected  # else it counts these paths
    is_telling = is_counting or any(manifest.get(name) for name in _FACTS)
    if not is_telling and _ANY_FILE.issuperset(expected):
        yield place.find(
            "manifest-cannot-fail",
            "The manifest asks for nothing, so that no work could fail it.",
            "name the paths that the step makes or changes",
        )
    wanted: str = manifest.get("commit_message_pattern") or ""
    for pattern in filter(None, (wanted, *(each["pattern"] for each in contained))):
        yield from _criticise_pattern(place, pattern)
    message = step.checkpoint
    if wanted and not may_run_away(wanted) and not re.search(wanted, message):
        said = (
            f"'{clip_line(message, 60)}' does not match" if message else "There is no message for"
        )
        yield place.find(
            "message-misses-pattern",
            f"{said} the commit_message_pattern {wanted}.",
            "change the pattern or the message of the checkpoint",
        )
    yield from _criticise_paths(place, session, expected, list_forbidden(session))
    for path in expected:
        if is_covered(path, manifest.get("forbidden_paths") or ()):
            yield place.find(
                "path-is-forbidden",
                f"The manifest expects {path} and forbids it.",
                "take it out of expected_paths or of forbidden_paths",
            )
    for path in (each["path"] for each in contained):
        if session.touch and not is_match(path, expected) and not is_covered(path, session.touch):
            yield place.find(
                "path-outside-fence",
                f"must_contain names {path}, which is neither expected nor within the fence.",
                _MORE,
            )


def _criticise_pattern(place: PlanPlace, pattern: str) -> Iterator[CriticFinding]:
    if may_run_away(pattern):
        yield place.find(
            "pattern-runs-away",
            f"The pattern {pattern} fits a text in very many ways, and may take for ever.",
            "write it with fewer repeats, and none within another",
        )
    elif explain_pattern(pattern, None):
        yield place.find(
            "pattern-matches-everything",
            f"The pattern {pattern} matches an empty text, so it matches everything.",
            "write a pattern that some text does not match",
        )


def _criticise_paths(
    place: PlanPlace, session: PlannedSession, paths: Iterable[str], never: Sequence[str]
) -> Iterator[CriticFinding]:
    for path in paths:
        if is_covered(path, never):
            message = f"{path} is expected, and may not be touched."
            yield place.find("path-is-forbidden", message, _MORE)
        elif session.touch and not is_covered(path, session.touch):
            message = f"{path} is expected, and lies outside the fence."
            yield place.find("path-outside-fence", message, _MORE)


def _criticise_message(place: PlanPlace, step: PlannedStep) -> Iterator[CriticFinding]:
    message = step.checkpoint.strip()
    if not message:
        yield place.find(
            "message-missing",
            "The checkpoint has no message.",
            'say what the commit does: git commit -m "feat(api): add search"',
            blocks=False,
        )
        return
    kind = _TYPE.match(message)
    subject = message[kind.end() if kind else 0 :].lower()
    words = set(re.findall(r"[^\W\d_]+", subject.partition("\n")[0])) - _SAYS_NOTHING
    if not words or (kind and kind[1].lower() == "wip"):
        yield place.find(
            "message-says-nothing",
            f"The message '{clip_line(message, 60)}' does not say what the commit does.",
            "name what is added, changed or removed",
        )


def _criticise_checks(
    place: PlanPlace, step: PlannedStep, dangers: FindDangers
) -> Iterator[CriticFinding]:
    if not step.verify and not step.contract.strip():
        yield place.find(
            "verify-missing",
            "Nothing verifies the step.",
            "give a Verify command that fails before the work and passes after it",
        )
    own = read_text(step.contract, step.line or 1)
    for problem in own if isinstance(own, tuple) else ():
        yield place.find("contract-unreadable", f"{problem.message}.", "correct the contract")
    if isinstance(own, Contract) and own.timing and own.timing.interval_hours:
        yield place.find(
            _RECURS,
            "The contract says `recurring`, and a session has no end with such a step.",
            "leave `recurring` out, or make it a goal of a run: goalkeeper create-goals",
        )
    for criterion in own.criteria if isinstance(own, Contract) else ():
        check = criterion.check
        text = shlex.join(check.main_option) if check.kind in ARGV_KINDS else ""
        text = check.main_option if check.kind == "shell" else text
        yield from _find_dangers(place, PlannedCommand(text, ""), dangers) if text else ()
    for command in step.verify:
        yield from _criticise_command(place, command, dangers)
    if step.checkpoint and not _TYPE.match(step.checkpoint):  # `fix: …` is no command
        yield from _find_dangers(place, PlannedCommand(step.checkpoint, ""), dangers)


def _criticise_command(
    place: PlanPlace, command: PlannedCommand, dangers: FindDangers
) -> Iterator[CriticFinding]:
    if is_kept_by_drive(command):
        return
    here = place.replace(line=command.line or place.line)
    made = make_criterion(command, "C1")
    problems = (made,) if isinstance(made, Problem) else _list_problems({"criteria": [made]})
    for problem in problems:
        _, is_vacuous, reason = problem.message.partition("vacuous: ")
        if is_vacuous:
            said = f"`{clip_line(command.command, 60)}` cannot fail: {reason}."
            yield here.find("verify-cannot-fail", said, "verify what the work changes")
        else:
            said = f"{problem.message}."
            yield here.find("verify-unreadable", said, "write a command and what it must print")
    yield from _find_dangers(here, command, dangers)


def _find_dangers(
    place: PlanPlace, command: PlannedCommand, dangers: FindDangers
) -> Iterator[CriticFinding]:
    for danger in dangers(command.command):
        yield place.replace(line=command.line or place.line).find(
            _DANGEROUS,
            f"`{clip_line(command.command, 60)}` breaks the security rules: {danger}",
            "use a command that does less",
        )


def _criticise_test(
    place: PlanPlace, session: PlannedSession, step: PlannedStep
) -> Iterator[CriticFinding]:
    if not step.test_first.strip() or _NO_TEST.fullmatch(step.test_first):
        return
    path = find_test(step.test_first)
    if not path:
        yield place.find(
            "test-unnamed",
            "Test first names no test file.",
            "begin with its path, such as tests/test_search.py::test_finds_nothing",
        )
    elif session.touch and not is_covered(path, session.touch):
        message = f"{path} is to be written first, and lies outside the fence."
        yield place.find("path-outside-fence", message, _MORE)


def _criticise_session(session: PlannedSession, dangers: FindDangers) -> Iterator[CriticFinding]:
    if not session.touch:
        yield PlanPlace(session.id, session.line).find(
            "fence-unknown",
            "Nobody says what the session touches, so it runs alone.",
            "list its files under Touch",
            blocks=False,
        )
    for command in session.entry_commands:
        yield from _find_dangers(PlanPlace(f"{session.id} entry", session.line), command, dangers)
    told = session.steps[-1].verify if session.steps else ()
    for command in (each for each in session.exit if each not in told):
        yield from _criticise_command(
            PlanPlace(f"{session.id} exit", session.line), command, dangers
        )
