"""Contracts, judgements, reviews and verifications for people, and what is still unproven."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from goalkeeper.app.judging import Ruling
from goalkeeper.app.queries.why import OpenGoal
from goalkeeper.cli.reply import Page, Table
from goalkeeper.core.contract import advice
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus, Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Finding, Level, explain_findings
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.moments import shorten_moment
from goalkeeper.core.plan.model import STRICT, Goal
from goalkeeper.core.review.lane import NEEDED

if TYPE_CHECKING:
    from goalkeeper.app.verifying import Verification  # it loads the words of claims
    from goalkeeper.core.answers.template import Background

_SHOWN_PATHS = 3


def check_page(shown: Mapping[str, Any]) -> Page:
    rows = tuple(
        (c["id"], c["look"], "ok" if c["fit"] else "refused", _line(c["reason"]))
        for c in shown["criteria"]
    )
    tree, isolation = shown["base"]["tree"][:12], shown["isolation"]
    named = shown["goal_id"] or "The contract"
    return (
        f"{named} on base tree {tree}, isolation {isolation}:",
        Table(("criterion", "on base", "", "seen"), rows),
        *(f"{c['id']}: {c['cure']}" for c in shown["criteria"] if c["cure"]),
        *_rating_part(shown),
        *_protected_part(shown),
        *(f"note: {note}" for note in shown["notes"]),
    )


def _rating_part(shown: Mapping[str, Any]) -> Page:
    """Show what else was tried: again, on a reference, and on faults in it."""
    flaws = [(c["id"], c["flaw"]) for c in shown["criteria"] if c.get("flaw")]
    told = tuple(f"{name} {flaw['rule']}: {_line(flaw['reason'])}" for name, flaw in flaws)
    if not shown.get("faults"):
        return told
    tried = [c for c in shown["criteria"] if c.get("noticed") is not None]
    counts = ", ".join(f"{c['id']} {c['noticed']}" for c in tried)
    said = (
        f"Of {shown['faults']} faults in the reference {shown['noticed']} are noticed ({counts})."
    )
    return (*told, said)


def _protected_part(shown: Mapping[str, Any]) -> Page:
    """Show a few files for each reason: a suite may have thousands of files."""
    by_reason: dict[str, list[str]] = {}
    for path, why in shown["protected"].items():
        by_reason.setdefault(why, []).append(path)
    if not by_reason:
        return ("Nothing is protected: no tests, harness or CI files were found.",)
    rows = tuple(
        (
            why,
            str(len(paths)),
            ", ".join(paths[:_SHOWN_PATHS] + ["..."][: len(paths) > _SHOWN_PATHS]),
        )
        for why, paths in sorted(by_reason.items())
    )
    free = ", ".join(shown["may_change"])
    freed = (f"may change: {free}",) if free else ()
    if shown["brings_tests"]:
        freed = (*freed, "tests may be added, and changed where they fail on base's code then")
    return ("Protected, as they are in base:", Table(("why", "files", "such as"), rows), *freed)


def audit_page(shown: Mapping[str, Any], findings: Sequence[Finding]) -> Page:
    count = Counter(each.level for each in findings)
    trees = f"{shown['base']['tree'][:12]} to {shown['tree'][:12]}"
    asking = f"{count[Level.ASKING]} asking, " if count[Level.ASKING] else ""
    told = f"{count[Level.BLOCKING]} blocking, {asking}{count[Level.ADVISORY]} advisory findings"
    said = f"{shown['goal_id']}, {trees}: {told}"
    return (said, *(f"  {line}" for line in explain_findings(findings, shown["goal_id"])))


def contract_page(shown: Mapping[str, Any]) -> Page:
    state = f"{'frozen' if shown['frozen'] else 'not frozen yet'}, by: {shown['author']}"
    return (
        f"{shown['goal_id']}: contract {shown['digest'][:12]}, {state}",
        *json.dumps(shown["contract"], indent=2, ensure_ascii=False).split("\n"),
    )


def judgement_page(ruling: Ruling, shown: Mapping[str, Any]) -> Page:
    """Show a ruling; `shown` is the document of the same ruling."""
    states = {state.id: state for state in ruling.goal.table}
    rows = [
        f"| {c.id} | {states[c.id].shown_status} | {_evidence(c, states[c.id])} |"
        for c in (*ruling.judgement.criteria, *ruling.judgement.standing)
    ]
    told = explain_findings(ruling.judgement.findings, ruling.goal.id)
    findings = [f"    {line}" if line.startswith("  ") else f"  - {line}" for line in told]
    lines = [
        f"## JUDGE Result — Iteration {ruling.goal.iteration}",
        "",
        "| Criterion | Status | Evidence |",
        "| --- | --- | --- |",
        *rows,
        "",
        *(["findings:", *findings, ""] if findings else []),
        *(f"note: {each}" for each in ruling.judgement.conditions),
        f"verdict: {shown['verdict']}",
    ]
    left = shown["remaining"]
    return (*lines, *(_remaining_lines(left) if left else ()))


def _evidence(judged: Judged, state: CriterionState) -> str:
    before = ""
    if state.status is CriterionStatus.REGRESSED:
        before = f"passed at iteration {state.passed_at}, now: "
    if state.status is CriterionStatus.BLOCKED:
        before = "" if state.is_left else "failed three times in a row: "
    unknown = "could not be checked: " if judged.verdict is Verdict.UNKNOWN else ""
    cached = " (from the cache)" if judged.cached else ""
    return _line(f"{unknown or before}{judged.reason}{cached}").replace("|", "\\|")


def _remaining_lines(left: list[dict[str, Any]]) -> list[str]:
    lines = ["", "remaining:"]
    for item in left:
        first, *rest = item.items()
        lines.append(f"  - {first[0]}: {first[1]}")
        lines += [f"    {name}: {_scalar(value)}" for name, value in rest if value is not None]
    return lines


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value) if isinstance(value, int) else '"' + str(value).replace('"', "'") + '"'


_SHOWN_OBJECTIONS = 3


def lanes_page(shown: Mapping[str, Any]) -> Page:
    lanes = shown["lanes"]
    head = ("role", "says", "about", "agent", "trust", "session", "objections")
    notes = [f"{lane['role']}, in passing: {text}" for lane in lanes for text in lane["advisory"]]
    return (Table(head, tuple(_lane_row(lane) for lane in lanes)), *notes)


def _lane_row(lane: Mapping[str, Any]) -> tuple[str, ...]:
    about = "these files" if lane["current"] else f"tree {lane['tree'][:12]}"
    objections = "; ".join(lane["objections"][:_SHOWN_OBJECTIONS])
    return (
        lane["role"], lane["word"], about, lane["agent"], lane["trust"], lane["session"],
        objections,
    )  # fmt: skip


def quality_page(diagnostics: Sequence[Mapping[str, Any]]) -> Page:
    if not diagnostics:
        return ("Nothing is in the way of the quality gate.",)
    rows = tuple((d["path"], d["code"], d["message"], d["mend"]) for d in diagnostics)
    table = Table(("where", "code", "what", "mend"), rows)
    return (table, f"{len(diagnostics)} problem(s).")


def review_page(shown: Mapping[str, Any]) -> Page:
    base, candidate = shown["base"]["commit"][:12], shown["candidate"]["tree"][:12]
    page: list[str | Table] = [f"Tree {candidate}, compared with {base}:"]
    rows = tuple(
        (c["id"], c["on_base"], c["verdict"], _line(c["reason"])) for c in shown["criteria"]
    )
    page += [Table(("criterion", "before", "now", "seen"), rows)] if rows else []
    against = tuple(
        (d["path"], d["code"], _line(d["message"]), _line(d["mend"])) for d in shown["findings"]
    )
    page += [Table(("where", "code", "what", "mend"), against)] if against else []
    page += _review_lanes_part(shown)
    page += [f"Verdict: {shown['verdict']} (contract: {shown['contract']})."]
    page += [f"Recorded as {', '.join(shown['blockers'])}."] if shown["blockers"] else []
    return tuple(page)


def _review_lanes_part(shown: Mapping[str, Any]) -> Page:
    rows = tuple(
        (lane["role"], lane["word"], lane["agent"], lane["model"], lane["trust"])
        for lane in shown["lanes"]
    )
    head = ("lane", "says", "agent", "model", "trust")
    told = [f"The {role} lane was not asked: settle the rest first." for role in shown["unasked"]]
    return (*((Table(head, rows),) if rows else ()), *told)


def _line(text: str) -> str:
    return " ".join(text.split())


_SHOWN_ROWS = 50


def verification_page(seen: Verification, known: Background) -> Page:
    summary, page = seen.summary, []
    checked = f"checks: {summary.passed} of {summary.total} passed"
    flags = f" ({', '.join(summary.flags)})" if summary.flags else ""
    page.append(f"{seen.goal.id} on tree {seen.judgement.tree[:12]}: {checked}{flags}")
    page += [f"  {c.id} {c.verdict}: {c.reason}" for c in seen.criteria]
    page += [f"  {line}" for line in explain_findings(seen.judgement.open_findings, seen.goal.id)]
    if seen.stages:
        page.append("steps: " + ", ".join(f"{each.stage} {each.state}" for each in seen.stages))
    for each in seen.diagnostics:
        page += [f"{each.path}: {each.code}: {each.message}", f"  mend: {each.mend}"]
    page += [f"overridden: {each}" for each in seen.overridden]
    if seen.is_verified:
        page.append("Verified on this tree, and on no other.")
    elif not seen.stages:
        steps = [each for each in seen.goal.steps if each.step in seen.stored]
        page += [f"stored: {each.step} {each.note}" for each in steps]
        page += _failed_lines(seen.goal)
        page += [f"lesson: {each}" for each in known.lessons]
        page += [f"missing criterion: {each}" for each in known.missing_criteria]
    page += [f"open for the user: {each}" for each in seen.goal.left_to_user]
    return tuple(page)


def _failed_lines(goal: Goal) -> list[str]:
    return [f"failed before: {each}" for each in goal.failed_answers]


def missing_criteria_page(rows: list[dict[str, Any]]) -> Page:
    told = [
        (str(row.get("at", ""))[:16], str(row.get("goal_id", "")), str(item))
        for row in rows
        if isinstance(row.get("items"), list)
        for item in row["items"]
    ]
    if not told:
        return ("Nothing was found that contracts left out.",)
    more = len(told) - _SHOWN_ROWS
    table = Table(("at", "goal", "missing criterion"), tuple(told[-_SHOWN_ROWS:]))
    return (table, f"and {more} more") if more > 0 else (table,)


def why_page(found: OpenGoal, folder: str) -> Page:
    """Show what is unproven; `folder` is where evidence lies."""
    goal = found.goal
    page = [f"{goal.id} {goal.status}: {found.why}"]
    for state, criterion in found.unproven:
        page += _criterion_lines(found, state, criterion, folder)
    if found.findings:
        page += [
            "\nFindings:",
            *(f"  {line}" for line in explain_findings(found.findings, goal.id)),
        ]
        page.append("  goalkeeper explain RULE says what each is about")
    told = [f"answered: {each.step} {each.note}" for each in goal.steps] + _failed_lines(goal)
    page += ["\nAnswers:", *(f"  {line}" for line in told)] if told else []
    page += _review_lines(found)
    if found.closed_gate:
        page += ["\nArtifact gate:", *(f"  {each}" for each in found.closed_gate.missing)]
        page.append(f"  {found.closed_gate.remediation}")
    if not found.unproven and not found.findings and goal.iteration:
        page.append("Every criterion passed when it was last judged.")
    return tuple(page)


def _criterion_lines(
    found: OpenGoal, state: CriterionState, criterion: Criterion, folder: str
) -> list[str]:
    since = f" since {shorten_moment(state.since)}" if state.since else ""
    lines = [f"\n{state.id} {state.status}{since}: {criterion.text}"]
    if state.reason:
        lines.append(f"  seen last:  {state.reason}")
    times = "once" if state.failed == 1 else f"{state.failed} times"
    tried = f"judged and failed {times}, {state.fail_count} in a row"
    if state.failed:
        lines.append(f"  tried:      {tried}")
    if state.evidence and not criterion.held_out:
        lines.append(f"  evidence:   {folder}/{state.evidence[:2]}/{state.evidence}.json")
    lines.append(f"  proven by:  {advice.describe_proof(criterion)}")
    lines.append(f"  to do:      {found.suggest_step(state, criterion)}")
    return lines


def _review_lines(found: OpenGoal) -> list[str]:
    """Say what lanes said last; `lanes show` says of which files."""
    goal = found.goal
    if found.plan.gate != STRICT:
        return []
    missing = [role for role in NEEDED if role not in {lane.role for lane in goal.lanes}]
    lines = [f"  {lane.role} {lane.word}: {'; '.join(lane.objections)}" for lane in goal.lanes]
    lines += [f"  {role}: not asked yet" for role in missing]
    return ["\nReviews (strict gate):", *lines, f"  goalkeeper lanes show --goal-id {goal.id}"]


def looks_page(document: Mapping[str, Any]) -> Page:
    """Show what was looked at for the verdicts of a goal."""
    page: list[str] = []
    for each in document["criteria"]:
        page.append(f"{each['id']} {each['status']}: {each['reason'] or 'it was not judged yet'}")
        page += [f"  ran: {', '.join(each['runs'])}"] if each["runs"] else []
        for probe in each["probes"]:
            page.append(f"  {probe['probe']}: {probe['saw']}")
            page += [f"    not seen: {said}" for said in probe["unseen"]]
        if each["runs"] and not each["probes"]:
            page.append("  no probe looked: probes doubt work whose checks all pass")
    return tuple(page) or (f"{document['goal_id']} has no criteria that were judged.",)
