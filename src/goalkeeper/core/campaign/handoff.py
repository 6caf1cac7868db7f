"""What the agent of a session is told of others: what landed before, and why it is tried again."""

from __future__ import annotations

from collections.abc import Iterator

from goalkeeper.core.campaign.state import Campaign, Handoff, SessionState
from goalkeeper.core.problems import cut_text

_SHOWN = 40  # so many files and names are listed
_MOST_SAID = 2000


def write_handoff(campaign: Campaign, session: SessionState) -> str:
    """Write what the sessions that it depends on hand over, and what became of earlier tries."""
    needed = (campaign.sessions.get(each) for each in session.planned.depends_on)
    told = [_describe(each, each.handoff) for each in needed if each and each.handoff]
    return "\n\n".join([*told, *_describe_bounce(campaign, session)])


def _describe(session: SessionState, handoff: Handoff) -> str:
    facts = {
        "Commits": handoff.commits,
        "Files": handoff.files,
        "New names and commands": handoff.exports,
        "Proven": handoff.proven,
    }
    lines = [f"{session.id} {session.planned.title} has landed."]
    for name, found in facts.items():
        if found:
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            lines.append(f"{name}: {', '.join(map(_quote, found[:_SHOWN]))}{more}")
    if handoff.said:
        said = cut_text(handoff.said, _MOST_SAID).splitlines()
        lines += ["Its agent said, which nobody has checked:", *(f"> {line}" for line in said)]
    return "\n".join(lines)


def _quote(name: str) -> str:
    """Return a name in one line: a worker chooses what its files are called."""
    return name if name.isprintable() else ascii(name)


def _describe_bounce(campaign: Campaign, session: SessionState) -> Iterator[str]:
    """Say what was wrong with earlier work, and where it is; the new work begins at the head."""
    if session.depth:
        yield f"This is recovery {session.depth} of session {session.id}."
    elif not session.earlier:
        return
    if session.why:
        yield "What was wrong before: " + "; ".join(session.why)
    if session.files:
        names = ", ".join(map(_quote, session.files))
        yield f"Files that conflict with what has landed: {names}"
    if session.earlier and session.earlier.commit:
        start = session.earlier_base.commit if session.earlier_base else campaign.origin.commit
        yield (
            "Its earlier work is kept; this shows it as a patch: "
            f"git diff {start} {session.earlier.commit}"
        )
