"""The artifacts of a quality gate are read, decoded, rendered or run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from goalkeeper.core import strict_json
from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.core.problems import cut_text
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.core.review.replays import WEAK, Replay, is_silent, read_replay
from goalkeeper.core.review.words import (
    APP_AUTOMATION,
    AUTOMATION,
    PTY,
    RECEIPT,
    REPLAY,
    SCREENSHOT,
    Artifact,
    Proved,
)
from goalkeeper.system.safe_open import NotPlain, read_file_below
from goalkeeper.wire.canonical import digest as canonical_digest
from goalkeeper.wire.canonical import sha256
from goalkeeper.witness.captures import JUDGES
from goalkeeper.witness.captures.unfit import Unfit
from goalkeeper.witness.check_context import CheckResult
from goalkeeper.witness.reports import ReportUnreadable, junit, tap

MOST_BYTES = 64 << 20
_JUDGED_AS = {
    SCREENSHOT: "screenshot",
    PTY: "pty",
    AUTOMATION: "automation",
    APP_AUTOMATION: "automation",
}
_LEAST_LETTERS = 40
_RERUN = "run the tests again, and give what their runner wrote"
_NOT_PLAIN = {
    "missing": "there is no such file",
    "outside": "it leads out of the repository",
    "link": "a link is on the way to it",
    "directory": "it is a folder",
    "special": "it is no file: a pipe, a socket or a device",
    "too-large": f"it is larger than {MOST_BYTES >> 20} MB",
}
Run = Callable[[Mapping[str, Criterion]], Mapping[str, CheckResult]]


def check_artifacts(artifacts: Sequence[Artifact], shelf: str, run: Run) -> tuple[Proved, ...]:
    """Return the result for each artifact below `shelf`; `run` runs checks on the candidate."""
    seen = [_read_artifact(artifact, shelf) for artifact in artifacts]
    again = {
        found.id: Criterion(found.id, "", Check("replay", {"replay": record}))
        for found, record in seen
        if record is not None and not found.diagnostics
    }
    ran = run(again) if again else {}
    places = {artifact.id: artifact.at for artifact in artifacts}
    return tuple(
        _add_replay_result(found, places[found.id], ran.get(found.id)) for found, _ in seen
    )


def _add_replay_result(found: Proved, at: str, seen: CheckResult | None) -> Proved:
    if seen is None or seen.verdict is Verdict.PASSED:
        return found
    word, _, reason = seen.reason.partition(": ")  # the first word says why it did not run
    if word in {"not-allowed", WEAK}:
        code = WEAK if word == WEAK else "replay-not-allowed"
    else:
        code = "replay-unknown" if seen.verdict is Verdict.UNKNOWN else "replay-differs"
        reason = seen.reason
    said = Diagnostic(at, code, reason, _MENDS[code])
    return found.replace(diagnostics=(*found.diagnostics, said))


_MENDS = {
    "replay-differs": "record what the program prints now, or mend the program",
    "replay-unknown": "goalkeeper judge says what is missing here",
    WEAK: "name what only the right output has",
    "replay-not-allowed": "replay the project's own program, or have [replay] allow it; an "
    "independent lane may replay all tools of the project, in a sandbox",
}


def _read_artifact(artifact: Artifact, shelf: str) -> tuple[Proved, Any]:
    """Return the result of reading an artifact, and the record to run again if it is one."""
    if artifact.kind == RECEIPT or artifact.exempt or not (artifact.path or artifact.replay):
        return Proved(artifact.id, ""), None
    if artifact.replay is not None:
        return _check_record(artifact, artifact.replay, canonical_digest(artifact.replay))
    try:
        data = read_file_below(shelf, artifact.path, MOST_BYTES)
    except NotPlain as exc:
        mend = "name a plain file; artifacts of lanes lie in the lane's own folder"
        said = f"{artifact.path}: {_NOT_PLAIN[exc.word]}"
        return _make_problem(artifact, "", f"artifact-{exc.word}", said, mend), None
    digest = sha256(data)
    if artifact.kind == REPLAY:
        try:
            return _check_record(artifact, strict_json.parse(data), digest)
        except ValueError as exc:
            said = f"{artifact.path} is not JSON: {exc}"
            return _make_problem(artifact, digest, "wrong-value", said, "write a record"), None
    judge = JUDGES.get(_JUDGED_AS.get(artifact.kind, ""))
    unfit = judge(data, artifact.surface) if judge else judge_report(data, artifact.kind)
    if unfit is None:
        return Proved(artifact.id, digest), None
    code = f"{artifact.kind}-{unfit.code}"
    return _make_problem(artifact, digest, code, unfit.message, unfit.mend), None


def _check_record(artifact: Artifact, raw: object, digest: str) -> tuple[Proved, Any]:
    read = read_replay(raw, f"{artifact.at}.replay")
    if not isinstance(read, Replay):
        return Proved(artifact.id, digest, read), None
    if artifact.surface and is_silent(read):
        said = "it fails and says nothing that is compared, which shows no surface at work"
        mend = "record a run that succeeds, or recordedStderr"
        return _make_problem(artifact, digest, "replay-silent", said, mend), None
    return Proved(artifact.id, digest), raw


def _make_problem(artifact: Artifact, digest: str, code: str, message: str, mend: str) -> Proved:
    return Proved(artifact.id, digest, (Diagnostic(artifact.at, code, message, mend),))


def judge_report(data: bytes, kind: str) -> Unfit | None:
    if kind == "test-report":
        return _judge_test_report(data)
    letters = sum(character.isalnum() for character in data.decode(errors="replace"))
    if letters < _LEAST_LETTERS:
        said = f"it says next to nothing ({letters} letters)"
        return Unfit("thin", said, "say what was tried, and what came of it")
    return None


def _judge_test_report(data: bytes) -> Unfit | None:
    try:
        cases = junit.parse(data) if data.lstrip().startswith(b"<") else tap.parse(data)
    except ReportUnreadable as exc:
        return Unfit("unreadable", f"it is neither JUnit XML nor TAP: {exc}", _RERUN)
    bad = [case.id for case in cases if case.outcome in {Outcome.FAILED, Outcome.ERROR}]
    if bad:
        return Unfit("failed", f"{len(bad)} test(s) failed, such as {cut_text(bad[0], 80)}", _RERUN)
    if not any(case.outcome is Outcome.PASSED for case in cases):
        return Unfit("no-tests", "no test in it passed", _RERUN)
    return None
