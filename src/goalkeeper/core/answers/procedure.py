"""What no program settles is verified in stages, by the answers and what the engine saw in the
tree.

A stage has passed when nothing is wrong with it, and it is bound to the digest of all that decided
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from goalkeeper.core.answers.document import DIMENSIONS, AnswerOutcome, Answers, Item, Negative
from goalkeeper.core.contract.check_kinds import why_vacuous
from goalkeeper.core.contract.criteria import ANSWERED_KINDS, Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.decode import plain
from goalkeeper.core.problems import clip_line
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:  # reading claims is slow to load, and the rules need none of it
    from goalkeeper.core.claims.evidence import Evidence

LEG, Q1, Q1_5, Q2, Q3 = "agent_leg", "q1", "q1_5", "q2", "q3"
QUESTIONS = (Q1, Q1_5, Q2, Q3)
COMMIT = "commit:"
_REASON_CHARACTERS = 500
_FEWEST_WORDS = 3
_SHORT_ID = 7
# A failure mode of these words alone names none.
_SAYS_NOTHING = frozenset(
    """
    it this that the an all any some something anything nothing everything goal work task result
    output code program change thing could may might can would will should must not be is are was
    were been being have has had do does did go goes gone fail fails failed failing failure failures
    break breaks broken wrong bad bug bugs error errors mistake mistakes incorrect incomplete
    problem problems issue issues happen happens there still in of or and to at as somehow way ways
    """.split()  # noqa: SIM905  a list of so many words is harder to read
)
_NAME_ONE = "name a file that the work made or changed (write down what you found), or commit:ID"
_OWNERS = {"result": Q2, "summary": Q3}  # the stage that answers for a text that is no stage itself


class StageResult(StrEnum):
    """What came of a hypothesis."""

    CONFIRMED = "CONFIRMED"
    CORRECTED = "CORRECTED"
    EXPIRED = "EXPIRED"
    PENDING = "PENDING"


class Scene(Value):
    """What the engine saw in the tree that the answers are about."""

    tree: str
    files: Mapping[str, str]  # digests of the files that answers name; a missing file has none
    before: Mapping[str, str]  # their digests in the tree on which work began
    commits: tuple[str, ...] = ()  # the commits that were made since then
    evidence: tuple[Evidence, ...] = ()  # what the engine read, counted and probed
    used: Mapping[str, tuple[Evidence, ...]] = {}  # what the claims in each part depend on


class Case(Value):
    """Everything, besides the check of Q2, that decides a verification."""

    contract: Contract
    answers: Answers
    scene: Scene
    result: str = ""
    abbreviated: str = ""  # a condition that was audited, and holds
    texts: tuple[Diagnostic, ...] = ()  # what is wrong with the texts, see `scanning`


class Summary(Value):
    """What the checks that programs settle say, in the flags of the protocol."""

    flags: tuple[str, ...]
    all_passed: bool | None  # None means that it could not be verified
    passed: int
    unevaluatable: int
    total: int
    questions: tuple[str, ...]  # criteria that answers settle
    manual: tuple[str, ...]  # criteria that people settle


def summarise_checks(contract: Contract, judged: tuple[Judged, ...]) -> Summary:
    kinds = {criterion.id: criterion.check.kind for criterion in contract.criteria}
    structured = [j for j in judged if kinds.get(j.id, "") not in ANSWERED_KINDS]
    counts = {v: sum(j.verdict is v for j in structured) for v in Verdict}
    questions = tuple(name for name, kind in kinds.items() if kind == "question")
    manual = tuple(name for name, kind in kinds.items() if kind == "manual")
    flags, all_passed = _flag_counts(counts, len(structured), asks=bool(questions))
    unknown = counts[Verdict.UNKNOWN]
    passed = counts[Verdict.PASSED]
    return Summary(flags, all_passed, passed, unknown, len(structured), questions, manual)


def _flag_counts(
    counts: Mapping[Verdict, int], total: int, *, asks: bool
) -> tuple[tuple[str, ...], bool | None]:
    if counts[Verdict.FAILED]:
        return ("checks_failed",), False
    more = ("has_string_checks",) if asks else ()
    if total == 0:
        return ("checks_empty", *more), None
    if counts[Verdict.UNKNOWN]:
        return ("checks_unevaluatable", *more), None
    return more, True


def list_needed_stages(*, is_leg: bool, result: str, abbreviated: str) -> tuple[str, ...]:
    """Return the stages that must have passed before questions count as answered."""
    if is_leg:
        return (LEG,)
    if result:
        return (Q1,)
    return tuple(stage for stage in QUESTIONS if stage != Q1_5 or not abbreviated)


def list_stages(case: Case) -> tuple[str, ...]:
    """Return the stages that must have passed, and what was answered beyond them."""
    needed = list_needed_stages(
        is_leg=is_leg(case), result=case.result, abbreviated=case.abbreviated
    )
    if LEG in needed:
        return needed
    given = case.answers.plain
    return tuple(stage for stage in QUESTIONS if stage in needed or stage in given)


def is_leg(case: Case) -> bool:
    """Return whether every outcome of the agent's own leg has an artifact that is there."""
    wanted = set(case.contract.agent_leg)
    shown = {
        leg.outcome
        for leg in case.answers.agent_leg
        if not any(_check_artifact(case, leg.artifact, "artifact"))
    }
    return bool(wanted) and wanted <= shown


def stage_of_part(case: Case, name: str) -> str:
    """Return the stage that answers for a part of the answers."""
    stage = _OWNERS.get(name, name)
    known = list_stages(case)
    return stage if stage in known else known[-1]


def find_parts(case: Case, stage: str) -> dict[str, Any]:
    """Find the parts of the answers that a stage answers for."""
    said = case.answers.plain
    return {name: said[name] for name in said if stage_of_part(case, name) == stage}


def add_stored(given: Mapping[str, Any], stored: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add to answers what was answered before, stage by stage, and is not answered anew."""
    known = {"evidence", *([Q1_5] if "abbreviated" in given else [])}
    whole, evidence = dict(given), list(given.get("evidence", ()))
    for parts in stored:
        missing = {name: parts[name] for name in parts if name not in {*whole, *known}}
        if missing:
            evidence += [each for each in parts.get("evidence", ()) if each not in evidence]
            whole |= missing
    return {**whole, "evidence": evidence} if evidence else whole


def digest_inputs(case: Case, stage: str) -> str:
    """Return the digest of all that a stage is decided by; what changes it voids the stage."""
    owned = find_parts(case, stage)
    files = {path: case.scene.files.get(path) for path in list_artifacts(case.answers)}
    # The check of Q2 may depend on any file.
    tree = case.scene.tree if stage == Q2 else ""
    used = [each for name in owned for each in case.scene.used.get(name, ())]
    evidence = [[type(each).__name__, plain(each)] for each in used]
    overrides = [plain(each) for each in case.answers.overrides]
    return digest([stage, case.contract.digest, owned, files, tree, evidence, overrides,
                   case.result])  # fmt: skip


def list_artifacts(answers: Answers) -> tuple[str, ...]:
    """Return the files that are to show something."""
    named = [answers.q1.artifact] if answers.q1 else []
    named += [leg.artifact for leg in answers.agent_leg]
    return tuple(dict.fromkeys(clean_path(a) for a in named if not a.startswith(COMMIT)))


def clean_path(path: str) -> str:
    return path.strip().removeprefix("./")


def diagnose_stages(case: Case) -> dict[str, tuple[Diagnostic, ...]]:
    """Return for each stage everything that is wrong with it."""
    found = {stage: [*_check_stage(case, stage)] for stage in list_stages(case)}
    for said in case.texts:
        part = re.split(r"[.\[]", said.path.removeprefix("answers."), maxsplit=1)[0]
        found[stage_of_part(case, part)].append(said)
    return {stage: tuple(wrong) for stage, wrong in found.items()}


def _diagnose(where: str, code: str, message: str, mend: str) -> Diagnostic:
    return Diagnostic(f"answers.{where}", code, message, mend)


def _check_stage(case: Case, stage: str) -> Iterator[Diagnostic]:
    answers = case.answers
    if stage == LEG or (stage == Q3 and answers.q3):
        return  # the agent's leg is a stage only if nothing is wrong with it
    if stage == Q1 and answers.q1:
        yield from _check_artifact(case, answers.q1.artifact, "q1.artifact")
    elif stage == Q1_5 and answers.q1_5 is not None:
        yield from _check_items(answers.q1_5)
    elif stage == Q2 and answers.q2:
        yield from _check_negative(answers.q2)
    else:
        mend = "goalkeeper verify --template prints a file to fill in"
        yield _diagnose(stage, "missing", f"{stage} is not answered", mend)
        if stage == Q1 and case.contract.agent_leg and answers.agent_leg:
            yield from _check_agent_leg(case)


def _check_agent_leg(case: Case) -> Iterator[Diagnostic]:
    """Tell whoever answered for the agent's leg alone what is missing there."""
    wanted = case.contract.agent_leg
    for number, leg in enumerate(case.answers.agent_leg):
        where = f"agent_leg[{number}]"
        yield from _check_artifact(case, leg.artifact, f"{where}.artifact")
        if leg.outcome not in wanted:
            said = f"'{leg.outcome}' is not in outcomes_agent_leg"
            mend = "use the words of the contract"
            yield _diagnose(f"{where}.outcome", "unknown-outcome", said, mend)
    told = {leg.outcome for leg in case.answers.agent_leg}
    left = [outcome for outcome in wanted if outcome not in told]
    if left:
        said = f"nothing is shown for: {'; '.join(left)}"
        mend = "name an artifact for each, or answer q1 to q3"
        yield _diagnose("agent_leg", "leg-incomplete", said, mend)


def _check_artifact(case: Case, artifact: str, where: str) -> Iterator[Diagnostic]:
    """An artifact must be there, and this work must have made or changed it."""
    scene, path = case.scene, clean_path(artifact)
    if artifact.startswith(COMMIT):
        wanted = artifact.removeprefix(COMMIT).strip()
        if len(wanted) < _SHORT_ID or not any(c.startswith(wanted) for c in scene.commits):
            said = f"{artifact} is not a commit since work began"
            yield _diagnose(where, "artifact-missing", said, _NAME_ONE)
    elif path not in scene.files:
        said = f"'{artifact}' is not a file of the tree"
        yield _diagnose(where, "artifact-missing", said, _NAME_ONE)
    elif scene.files[path] == scene.before.get(path):
        said = f"{path} is as it was before the work began, so it shows nothing of it"
        yield _diagnose(where, "artifact-unchanged", said, _NAME_ONE)


def _check_items(items: tuple[Item, ...]) -> Iterator[Diagnostic]:
    at = "q1_5.items"
    for number, item in enumerate(items):
        if item.result is AnswerOutcome.FAIL and item.covered:
            said, mend = f"'{item.question}' fails", "mend what fails; then answer anew"
            yield _diagnose(f"{at}[{number}]", "covered-failure", said, mend)
    left = [name for name in DIMENSIONS if name not in {item.dimension for item in items}]
    if left:
        said = f"nothing is asked about {', '.join(left)}"
        yield _diagnose(at, "dimension-missing", said, "ask about each of the four dimensions")
    if all(item.result is AnswerOutcome.NA for item in items):
        mend = "ask what can be told of the result"
        yield _diagnose(at, "nothing-checked", "no item applies", mend)
    asked = [" ".join(item.question.lower().split()) for item in items]
    if len(set(asked)) < len(asked):
        yield _diagnose(at, "asked-twice", "two items ask the same", "ask for different properties")


def _check_negative(q2: Negative) -> Iterator[Diagnostic]:
    words = re.findall(r"\w{2,}", q2.failure_mode.lower())
    if len(words) < _FEWEST_WORDS or _SAYS_NOTHING.issuperset(words):
        said = f"'{q2.failure_mode}' names no way in which it could look met and not be"
        yield _diagnose("q2.failure_mode", "vague", said, "say what would be wrong then")
    if q2.check.kind in ANSWERED_KINDS:
        said = f"no program can run a check of kind {q2.check.kind}"
        yield _diagnose("q2.check", "unchecked", said, "give a check that can fail")
    elif said := why_vacuous(q2.check):
        yield _diagnose("q2.check", "vacuous", said, "give a check that can fail")


def diagnose_check(seen: Judged) -> tuple[Diagnostic, ...]:
    """Return what is wrong by the check of Q2, once it was run."""
    if seen.verdict is Verdict.FAILED:
        said, mend = f"the failure is there: {seen.reason}", "mend it; then answer anew"
        return (_diagnose("q2.check", "check-failed", said, mend),)
    if seen.verdict is Verdict.UNKNOWN:
        said, mend = f"it could not be checked: {seen.reason}", "mend the check"
        return (_diagnose("q2.check", "check-unknown", said, mend),)
    return ()


def note_stage(case: Case, stage: str) -> str:
    """Say in a few words what a stage that passed has shown."""
    answers = case.answers
    match stage:
        case "agent_leg":
            scope = case.contract.user_leg_scope or "user"
            return f"agent-leg-complete; user-leg pending ({scope})"
        case "q1" if answers.q1:
            return f"artifact={answers.q1.artifact}"
        case "q1_5" if answers.q1_5 is not None:
            passed = sum(item.result is AnswerOutcome.PASS for item in answers.q1_5)
            missed = len(list_uncovered(answers))
            gaps = f", {missed} uncovered" if missed else ""
            return f"checklist {passed}/{len(answers.q1_5)}{gaps}"
        case "q2" if answers.q2:
            return f"failure mode checked: {answers.q2.failure_mode}"
        case "q3" if answers.q3:
            return f"scope {answers.q3.scope}"
        case _:
            return ""


def list_left_to_user(case: Case) -> tuple[str, ...]:
    """List the outcomes that only the user brings about, if the agent's own leg answers."""
    if not is_leg(case):
        return ()
    own = case.contract.agent_leg
    left = tuple(outcome for outcome in case.contract.outcomes if outcome not in own)
    return left or (case.contract.user_leg_scope or "what the user takes part in",)


def give_reason(case: Case, overrides: tuple[str, ...]) -> str:
    """Say why the questions count as answered; the witness gives this reason for them."""
    told = [note_stage(case, stage) for stage in list_stages(case)]
    if case.result:
        told.insert(0, f"hypothesis {case.result}")
    if case.abbreviated:
        told.append(f"checklist abbreviated ({case.abbreviated})")
    told += [f"overridden: {each}" for each in overrides]
    return clip_line(f"answered: {'; '.join(told)}", _REASON_CHARACTERS)


def list_uncovered(answers: Answers) -> tuple[str, ...]:
    """Return what fails although no criterion of the goal would have shown it."""
    items = answers.q1_5 or ()
    return tuple(i.question for i in items if i.result is AnswerOutcome.FAIL and not i.covered)


def to_document(case: Case, overrides: tuple[str, ...]) -> dict[str, Any]:
    """Return what is kept as evidence."""
    return {
        "kind": "answers",
        "contract": case.contract.digest,
        "tree": case.scene.tree,
        "result": case.result,
        "answers": dict(case.answers.plain),
        "files": dict(case.scene.files),
        "evidence": [{type(each).__name__.lower(): plain(each)} for each in case.scene.evidence],
        "overridden": list(overrides),
        "steps": {stage: digest_inputs(case, stage) for stage in list_stages(case)},
    }
