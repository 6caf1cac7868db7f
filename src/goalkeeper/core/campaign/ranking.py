"""Which sessions are urgent: those that most work waits for."""

from __future__ import annotations

from collections.abc import Iterable

from goalkeeper.core.campaign.plan import Complexity, PlannedSession

_WEIGHTS = {Complexity.LOW: 1, Complexity.MEDIUM: 2, Complexity.HIGH: 4}


def rank_sessions(sessions: Iterable[PlannedSession]) -> dict[str, int]:
    """Return how much work waits for each session, its own included, on the longest way."""
    planned = {each.id: each for each in sessions}
    dependents: dict[str, list[str]] = {name: [] for name in planned}
    open_: dict[str, int] = dict.fromkeys(planned, 0)
    for name, session in planned.items():
        for needed in session.depends_on:
            if needed in dependents:
                dependents[needed].append(name)
                open_[needed] += 1
    ranks = {name: estimate_work(session) for name, session in planned.items()}
    longest = dict.fromkeys(planned, 0)
    settled = [name for name, count in open_.items() if not count]
    while settled:
        name = settled.pop()
        ranks[name] += longest[name]
        for needed in planned[name].depends_on:
            if needed in open_:
                longest[needed] = max(longest[needed], ranks[name])
                open_[needed] -= 1
                if not open_[needed]:
                    settled.append(needed)
    return ranks


def estimate_work(session: PlannedSession) -> int:
    """Estimate how long a session takes, in no unit: by its steps and how hard they are."""
    return max(1, len(session.steps)) * _WEIGHTS[session.complexity]
