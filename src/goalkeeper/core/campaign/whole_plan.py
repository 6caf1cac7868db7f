"""What is wrong with a plan as a whole: its dependencies, its goals, its shared files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from goalkeeper.core.campaign.findings import CriticFinding, PlanPlace
from goalkeeper.core.campaign.overlap import PatternIndex, can_overlap, is_covered
from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession, PlannedStep
from goalkeeper.core.contract.on_failure import OnFailure
from goalkeeper.core.plan import graph
from goalkeeper.core.problems import clip_line
from goalkeeper.wire.pattern import late_pattern

_LIKELY_SHARED = late_pattern(
    r"(?:.*/)?(?:[\w.-]+\.lock|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.ya?ml|bun\.lockb?"
    r"|go\.sum|(?:CHANGELOG|CHANGES|HISTORY|NEWS)[^/]*|[^/]*\.generated\.[^/]*"
    r"|(?:__)?generated(?:__)?(?:/.*)?)",
    re.IGNORECASE,
)


_NAMED = 4  # so many sessions are named where one finding is about many


def find_faults_of_whole(plan: MasterPlan) -> Iterator[CriticFinding]:
    yield from _find_dependency_faults(plan)
    yield from _find_goals_without_steps(plan)
    yield from _find_shared_files(plan)
    yield from _find_skipped_exits(plan)


def _find_dependency_faults(plan: MasterPlan) -> Iterator[CriticFinding]:
    sessions = [(each.id, each.line, each.depends_on) for each in plan.sessions]
    yield from _find_graph_faults("session", sessions)
    yield from _find_graph_faults("step", _name_steps("", plan.steps))
    for session in plan.sessions:
        own = {step.number: at for at, step in enumerate(session.steps)}
        inside = [
            step.replace(depends_on=tuple(n for n in step.depends_on if n in own))
            for step in session.steps
        ]
        if any(step.depends_on for step in inside):
            faults = [*_find_graph_faults("step", _name_steps(f"{session.id} ", inside))]
            yield from faults or _find_late_steps(session, inside, own)


def _name_steps(
    prefix: str, steps: Sequence[PlannedStep]
) -> list[tuple[str, int, tuple[str, ...]]]:
    return [
        (f"{prefix}step {s.number}", s.line, tuple(f"{prefix}step {n}" for n in s.depends_on))
        for s in steps
    ]


def _find_skipped_exits(plan: MasterPlan) -> Iterator[CriticFinding]:
    """Find exit conditions that nobody may prove: the last step does, unless it is left out."""
    for session in plan.sessions:
        last = session.steps[-1] if session.steps else None
        if last and session.exit and last.on_failure is OnFailure.SKIP:
            yield PlanPlace(f"{session.id} step {last.number}", last.line).find(
                "exit-skipped",
                "The exit condition is proven with the last step, and this one may be skipped.",
                "let the step retry, or put it before one that is not skipped",
            )


def _find_late_steps(
    session: PlannedSession, steps: Sequence[PlannedStep], order: Mapping[int, int]
) -> Iterator[CriticFinding]:
    """Find steps that come before what they depend on: a session takes them as they stand."""
    for at, step in enumerate(steps):
        for late in (n for n in step.depends_on if order[n] > at):
            yield PlanPlace(f"{session.id} step {step.number}", step.line).find(
                "dependency-late",
                f"It depends on step {late}, which comes after it.",
                "put the steps in the order in which they are to be done",
            )


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
                f"{pattern} is in the fences of {_list_some(users)}, and is not named as shared.",
                "list it under Shared files",
                blocks=False,
            )
    yield from _find_overlaps(fenced, (*plan.shared, *likely), _list_all_before(plan))


def _find_overlaps(
    fenced: Sequence[PlannedSession], shared: tuple[str, ...], before: Mapping[str, set[str]]
) -> Iterator[CriticFinding]:
    """Find fences that overlap: one finding for a session, however many others it meets."""
    known = PatternIndex()
    owners: dict[str, dict[tuple[str, ...], list[str]]] = {}  # by their pattern and their never
    for session in fenced:
        own = [path for path in session.touch if not is_covered(path, (*shared, *session.never))]
        met: dict[str, tuple[str, str]] = {}
        for mine in own:
            for theirs in known.find_meeting(mine):
                if is_covered(theirs, session.never):
                    continue
                for never, names in owners[theirs].items():
                    if not is_covered(mine, never):
                        met |= dict.fromkeys(names, (theirs, mine))
        free = [name for name in met if not _is_ordered(session.id, name, before)]
        if free:
            yield _tell_overlap(session, sorted(free, key=lambda each: (len(each), each)), met)
        for mine in own:
            known.add(mine)
            owners.setdefault(mine, {}).setdefault(session.never, []).append(session.id)


def _is_ordered(one: str, other: str, before: Mapping[str, set[str]]) -> bool:
    return one in before[other] or other in before[one]


def _tell_overlap(
    session: PlannedSession, others: Sequence[str], patterns: Mapping[str, tuple[str, str]]
) -> CriticFinding:
    theirs, mine = patterns[others[0]]
    message = (
        f"{others[0]} ({theirs}) and {session.id} ({mine}) may change the same file, so they run "
        "one after the other."
    )
    if len(others) > 1:
        message += f" The same holds for {_list_some(others[1:])}."
    return PlanPlace(session.id, session.line).find(
        "fences-overlap",
        message,
        "let one depend on the other, divide the files, or name the file as shared",
        blocks=False,
    )


def _list_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _list_all_before(plan: MasterPlan) -> Mapping[str, set[str]]:
    """Return what every session waits for, directly or not; of a cycle only what is direct."""
    found = {session.id: set(session.depends_on) for session in plan.sessions}
    try:
        order = [*TopologicalSorter(found).static_order()]
    except CycleError:
        return found
    for name in order:
        waits_for = found.setdefault(name, set())
        waits_for |= set().union(*(found[each] for each in waits_for))
    return found
