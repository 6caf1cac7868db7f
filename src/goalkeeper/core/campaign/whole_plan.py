"""What is wrong with a plan as a whole: its dependencies, its goals, its shared files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from goalkeeper.core.campaign.findings import CriticFinding, PlanPlace
from goalkeeper.core.campaign.overlap import can_overlap, find_meeting_patterns, is_covered
from goalkeeper.core.campaign.plan import MasterPlan
from goalkeeper.core.plan import graph
from goalkeeper.core.problems import clip_line
from goalkeeper.wire.pattern import late_pattern

_LIKELY_SHARED = late_pattern(
    r"(?:.*/)?(?:[\w.-]+\.lock|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.ya?ml|bun\.lockb?"
    r"|go\.sum|(?:CHANGELOG|CHANGES|HISTORY|NEWS)[^/]*|[^/]*\.generated\.[^/]*"
    r"|(?:__)?generated(?:__)?(?:/.*)?)",
    re.IGNORECASE,
)


def find_faults_of_whole(plan: MasterPlan) -> Iterator[CriticFinding]:
    yield from _find_dependency_faults(plan)
    yield from _find_goals_without_steps(plan)
    yield from _find_shared_files(plan)


def _find_dependency_faults(plan: MasterPlan) -> Iterator[CriticFinding]:
    sessions = [(each.id, each.line, each.depends_on) for each in plan.sessions]
    yield from _find_graph_faults("session", sessions)
    steps = [(f"step {s.number}", s.line, s.depends_on) for s in plan.steps]
    named = [(name, line, tuple(f"step {n}" for n in before)) for name, line, before in steps]
    yield from _find_graph_faults("step", named)


def _find_graph_faults(
    kind: str, nodes: Sequence[tuple[str, int, tuple[str, ...]]]
) -> Iterator[CriticFinding]:
    known = {name: line for name, line, _ in nodes}
    seen: set[str] = set()
    for name, line, before in nodes:
        if name in seen:
            message = f"There are two of the name {name}."
            yield PlanPlace(name, line).find("name-taken", message, f"number every {kind} anew")
        seen.add(name)
        for missing in before:
            if missing not in known:
                message = f"It depends on {missing}, which the plan does not have."
                yield PlanPlace(name, line).find(
                    "dependency-missing", message, f"name a {kind} of the plan"
                )
    edges = {name: tuple(b for b in before if b in known) for name, _, before in nodes}
    for problem in graph.find_problems(edges):
        name = problem.where.partition(",")[0]
        cycle = problem.message.removeprefix("a cycle: ")
        yield PlanPlace(name, known[name]).find(
            "dependency-cycle",
            f"These wait for each other: {cycle}.",
            "take one of the dependencies out, or join them",
        )


def _find_goals_without_steps(plan: MasterPlan) -> Iterator[CriticFinding]:
    steps = [*plan.steps, *(step for session in plan.sessions for step in session.steps)]
    served = {_fold(step.goal) for step in steps if step.goal}
    place = PlanPlace("plan", 0)
    mend = "name the goal in the steps that serve it"
    if plan.goals and not served:
        message = "No step says which goal of the plan it serves."
        yield place.find("goal-without-step", message, mend, blocks=False)
        return
    for goal in plan.goals:
        if _fold(goal) not in served:
            message = f"No step serves the goal '{clip_line(goal, 60)}'."
            yield place.find("goal-without-step", message, mend)


def _fold(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _find_shared_files(plan: MasterPlan) -> Iterator[CriticFinding]:
    """Find files that several sessions may change, and that nobody calls shared."""
    fenced = [session for session in plan.sessions if session.touch]
    patterns = dict.fromkeys(pattern for session in fenced for pattern in session.touch)
    likely = [
        pattern
        for pattern in patterns
        if _LIKELY_SHARED.fullmatch(pattern) and not is_covered(pattern, plan.shared)
    ]
    for pattern in likely:
        users = [s.id for s in fenced if can_overlap((pattern,), s.touch)]
        if len(users) > 1:
            yield PlanPlace("plan", 0).find(
                "likely-shared",
                f"{pattern} is in the fences of {', '.join(users)}, and is not named as shared.",
                "list it under Shared files",
                blocks=False,
            )
    told = (*plan.shared, *likely)
    before = _list_all_before(plan)
    for one, other in combinations(fenced, 2):
        is_ordered = one.id in before[other.id] or other.id in before[one.id]
        if is_ordered or not can_overlap(one.touch, other.touch):
            continue
        excluded = (*one.never, *other.never, *told)
        for first, second in find_meeting_patterns(one.touch, other.touch):
            if not is_covered(first, excluded) and not is_covered(second, excluded):
                yield PlanPlace(other.id, other.line).find(
                    "fences-overlap",
                    f"{one.id} ({first}) and {other.id} ({second}) may change the same file, so "
                    "they run one after the other.",
                    "let one depend on the other, divide the files, or name the file as shared",
                    blocks=False,
                )
                break


def _list_all_before(plan: MasterPlan) -> Mapping[str, set[str]]:
    """Return what every session waits for, directly or not."""
    found = {session.id: set(session.depends_on) for session in plan.sessions}
    for middle, earlier in found.items():
        for waits_for in found.values():
            if middle in waits_for:
                waits_for.update(earlier)
    return found
