"""How a campaign is shown in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from goalkeeper.app.queries.campaigns import describe_state, estimate_left
from goalkeeper.campaign.audit import DriftRow
from goalkeeper.cli.reply import Page, Table
from goalkeeper.core.campaign.findings import CriticFinding
from goalkeeper.core.campaign.state import (
    MOST_RECOVERIES,
    Campaign,
    SessionState,
    SessionStatus,
)
from goalkeeper.core.drive.phases import Spend

_FIRST_OF_A_KIND = 5


def campaign_page(campaign: Campaign, now: str) -> Page:
    rows = tuple(
        (each.id, each.planned.title, describe_state(campaign, each, now))
        for each in campaign.sessions.values()
    )
    return (head_line(campaign, now), Table(("session", "title", "state"), rows))


def head_line(campaign: Campaign, now: str) -> str:
    """Say in one line how far the campaign is, what it cost and how long it may take."""
    return "   ".join(list_head_parts(campaign, campaign.spend, now))


def list_head_parts(campaign: Campaign, spend: Spend, now: str) -> list[str]:
    landed = len(campaign.list_sessions(SessionStatus.LANDED))
    said = [f"Campaign {landed} of {len(campaign.sessions)} landed"]
    if met := len(campaign.list_sessions(SessionStatus.MET)):
        said.append(f"{met} met by others")
    working = len(campaign.list_sessions(SessionStatus.WORKING))
    if working:
        said.append(f"{working} at work")
    money = (spend.microdollars or 0) / 1e6
    cap = campaign.terms.allowance.microdollars / 1e6 if campaign.terms else 0
    if money or cap:
        said.append(f"${money:.2f}" + (f" of {cap:g}" if cap else ""))
    left = estimate_left(campaign, now)
    if left is not None:
        said.append(f"~{left // 60} min left" if left >= 60 else f"~{left} s left")  # noqa: PLR2004
    if campaign.skipped_preflight:
        said.append("pre-flight was skipped")
    if campaign.moved_to:
        named = ", ".join(commit[:7] for commit in campaign.moved_to[-3:])
        said.append(f"somebody else moved its branch to {named}")
    if campaign.pushed == campaign.head.commit:
        said.append("pushed")
    if campaign.ended:
        said.append(
            f"ended: {campaign.ended}" + (f" ({campaign.detail})" if campaign.detail else "")
        )
    return said


def session_page(campaign: Campaign, session: SessionState, now: str) -> Page:
    state = str(session.status) if session.why else describe_state(campaign, session, now)
    lines = [f"{session.id} {session.planned.title}: {state}"]
    lines += [f"  why: {each}" for each in session.why]
    lines += [f"  step {each.number} is missing: {each.found}" for each in session.missing]
    lines += [f"  conflicts in {each}" for each in session.files]
    if session.depth:
        lines.append(f"  recovery {session.depth} of {MOST_RECOVERIES}")
    if session.run_ids:
        lines.append(f"  runs: {', '.join(session.run_ids)}")
    if session.handoff:
        lines.append(f"  files: {', '.join(session.handoff.files)}")
        lines.append(f"  adds: {', '.join(session.handoff.exports) or 'no names'}")
        lines.append(f"  proven: {', '.join(session.handoff.proven)}")
    return tuple(lines)


def findings_page(found: Sequence[CriticFinding]) -> tuple[str, ...]:
    """Show the first findings of each kind, and how many more there are."""
    lines: list[str] = []
    shown: Counter[str] = Counter()
    for each in found:
        word = "refused" if each.is_blocking else "advice"
        kind = f"{word} ({each.rule})"
        shown[kind] += 1
        if shown[kind] <= _FIRST_OF_A_KIND:
            place = f"line {each.line}, {each.where}" if each.line else each.where
            lines += [f"{kind} {place}: {each.message}", f"  mend: {each.mend}"]
    for kind, count in shown.items():
        if count > _FIRST_OF_A_KIND:
            lines.append(f"{kind}: and {count - _FIRST_OF_A_KIND} more like it; --json has all")
    return tuple(lines)


def drift_page(rows: Sequence[DriftRow]) -> Page:
    table = tuple(
        (str(row.step), row.expected, row.found, "ok" if row.is_there else "drift") for row in rows
    )
    return (Table(("step", "expected", "found", ""), table),)


def draw_graph(campaign: Campaign) -> tuple[str, ...]:
    """Draw the sessions in waves: each stands below all that it depends on."""
    lines: list[str] = []
    for number, wave in enumerate(_list_waves(campaign), 1):
        lines.append(f"wave {number}")
        for session in wave:
            needed = session.planned.depends_on
            after = f"  after {', '.join(needed)}" if needed else ""
            steps = len(session.planned.steps)
            word = "step" if steps == 1 else "steps"
            lines.append(f"  {session.id} {session.planned.title} ({steps} {word}){after}")
    return tuple(lines)


def _list_waves(campaign: Campaign) -> list[list[SessionState]]:
    depth: dict[str, int] = {}
    left: Mapping[str, SessionState] = campaign.sessions
    waves: list[list[SessionState]] = []
    while left:
        ready = [s for s in left.values() if all(d in depth for d in s.planned.depends_on)]
        if not ready:
            break
        depth |= dict.fromkeys((each.id for each in ready), len(waves))
        waves.append(ready)
        left = {name: s for name, s in left.items() if name not in depth}
    return waves


def write_dot(campaign: Campaign) -> str:
    lines = ["digraph campaign {", "  rankdir=LR;"]
    for session in campaign.sessions.values():
        title = session.planned.title.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  {session.id} [label="{session.id} {title}\\n{session.status}"];')
        lines += [f"  {needed} -> {session.id};" for needed in session.planned.depends_on]
    return "\n".join([*lines, "}", ""])


def write_mermaid(campaign: Campaign) -> str:
    lines = ["graph LR"]
    for session in campaign.sessions.values():
        title = session.planned.title.replace('"', "'")
        lines.append(f'  {session.id}["{session.id} {title}: {session.status}"]')
        lines += [f"  {needed} --> {session.id}" for needed in session.planned.depends_on]
    return "\n".join([*lines, ""])
