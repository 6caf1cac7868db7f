"""Steps become sessions: what belongs together stays together, and the rest runs side by side.

A step comes after those it depends on, and after earlier ones that touch its files. Sessions
inherit their order from their steps, and are joined where they would wait for each other. Nothing
of a step is changed; its manifest is carried over letter by letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from goalkeeper.core.campaign.contracts import find_test, lies_inside, read_manifest
from goalkeeper.core.campaign.overlap import PatternIndex, is_covered
from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession, PlannedStep
from goalkeeper.core.problems import clip_line

_TITLE_LIMIT = 80

_Group = tuple[int, ...]  # positions of steps, in the order in which they are done


class _Work:
    """The steps of a plan, what each of them touches, and what comes before it."""

    def __init__(self, plan: MasterPlan) -> None:
        self.steps = plan.steps
        self.numbers = {step.number for step in plan.steps}
        self.files = [list_files(step) for step in plan.steps]
        known = {step.number: at for at, step in reversed([*enumerate(plan.steps)])}
        self.before = [
            {known[number] for number in step.depends_on if known.get(number, at) != at}
            for at, step in enumerate(plan.steps)
        ]
        self.order = _sort_topologically(range(len(plan.steps)), dict(enumerate(self.before)))
        own = [_without(files, plan.shared) for files in self.files]
        self.shared_by = _pair_by_files(plan.steps, own, self.order)
        self.after = [{*before} for before in self.before]
        for earlier, later in self.shared_by:
            self.after[later].add(earlier)


def _pair_by_files(
    steps: Sequence[PlannedStep], files: Sequence[Sequence[str]], order: Sequence[int]
) -> list[tuple[int, int]]:
    """Pair steps with earlier ones that touch their files; with the last ones, of many.

    The last with a goal and the last without stand for all before them, which they are paired with.
    """
    known = PatternIndex()
    latest: dict[str, dict[bool, int]] = {}
    pairs: dict[tuple[int, int], None] = {}
    for later in order:
        for path in files[later]:
            for theirs in known.find_meeting(path):
                pairs |= dict.fromkeys((earlier, later) for earlier in latest[theirs].values())
        for path in files[later]:
            known.add(path)
            latest.setdefault(path, {})[bool(steps[later].goal)] = later
    return [*pairs]


def decompose(plan: MasterPlan, by: str | int) -> MasterPlan:
    """Divide the steps that no session has into sessions: by "goal", by "files", or a number."""
    work = _Work(plan)
    groups = _group_steps(work, by)
    first = max((_number_of(session.id) for session in plan.sessions), default=0) + 1
    homes = {at: first + number for number, group in enumerate(groups) for at in group}
    made = [
        _make_session(plan, work, number, group, homes)
        for number, group in enumerate(groups, first)
    ]
    return plan.replace(steps=(), sessions=(*plan.sessions, *made))


def _number_of(session_id: str) -> int:
    return int(session_id[1:]) if session_id[1:].isdecimal() else 0


def list_files(step: PlannedStep) -> tuple[str, ...]:
    """List what a step touches, as far as it says so."""
    manifest = read_manifest(step.manifest, 1)
    expected = manifest.get("expected_paths") if isinstance(manifest, dict) else None
    listed = expected if isinstance(expected, list) else []
    named = (*step.files, *listed, find_test(step.test_first))
    return tuple(
        dict.fromkeys(path for path in named if isinstance(path, str) and lies_inside(path))
    )


def _without(files: Iterable[str], shared: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in files if not is_covered(path, shared))


def _group_steps(work: _Work, by: str | int) -> list[_Group]:
    match by:
        case "goal":
            return _arrange(work, _join_steps(work, keep_goals=True))
        case "files":
            return _arrange(work, _join_steps(work, keep_goals=False))
        case int() if by > 0:
            return _resize(_arrange(work, _join_steps(work, keep_goals=False)), by)
    raise ValueError(f"sessions are made by goal, by files, or by their number, not by {by!r}")


def _join_steps(work: _Work, *, keep_goals: bool) -> list[int]:
    """Return for each step the mark of its group.

    Steps are joined that touch the same files, or of which one waits only for the other, and the
    other only for it. With `keep_goals`, steps of one goal are joined instead.
    """
    goals = [step.goal if keep_goals else "" for step in work.steps]
    pairs = [*work.shared_by, *_list_chains(work.before)]
    pairs = [(one, other) for one, other in pairs if not goals[one] and not goals[other]]
    firsts: dict[str, int] = {}
    pairs += [(firsts.setdefault(goal, at), at) for at, goal in enumerate(goals) if goal]
    return _unite(len(work.steps), pairs)


def _list_chains(before: Sequence[set[int]]) -> list[tuple[int, int]]:
    followers = Counter(at for each in before for at in each)
    alone = ((next(iter(each)), at) for at, each in enumerate(before) if len(each) == 1)
    return [(earlier, later) for earlier, later in alone if followers[earlier] == 1]


def _unite(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Give everything that a chain of pairs connects the same mark."""
    marks = list(range(count))

    def find_mark(at: int) -> int:
        while marks[at] != at:
            marks[at] = marks[marks[at]]
            at = marks[at]
        return at

    for one, other in pairs:
        marks[find_mark(one)] = find_mark(other)
    return [find_mark(at) for at in range(count)]


def _arrange(work: _Work, marks: Sequence[int]) -> list[_Group]:
    """Return the groups in an order in which each comes after what it waits for.

    Groups that wait for each other become one.
    """
    after = {mark: set[int]() for mark in marks}
    for at, earlier in enumerate(work.after):
        after[marks[at]] |= {marks[each] for each in earlier} - {marks[at]}
    reach = _close(after) if _has_cycle(after) else {}
    first = {
        mark: min((m for m in reach[mark] if mark in reach[m]), default=mark) for mark in reach
    }
    joined = [first.get(mark, mark) for mark in marks]
    members: dict[int, list[int]] = {mark: [] for mark in joined}
    for at in work.order:
        members[joined[at]].append(at)
    waits = {mark: set[int]() for mark in members}
    for at, earlier in enumerate(work.after):
        waits[joined[at]] |= {joined[each] for each in earlier} - {joined[at]}
    by_first = sorted(members, key=lambda mark: min(members[mark]))
    return [tuple(members[mark]) for mark in _sort_topologically(by_first, waits)]


def _has_cycle(after: Mapping[int, set[int]]) -> bool:
    try:
        TopologicalSorter(after).prepare()
    except CycleError:
        return True
    return False


def _close(after: Mapping[int, set[int]]) -> dict[int, set[int]]:
    """Return for each what it waits for, directly or not."""
    found = {name: {*direct} for name, direct in after.items()}
    for middle, earlier in found.items():
        for waits_for in found.values():
            if middle in waits_for:
                waits_for.update(earlier)
    return found


def _sort_topologically(items: Iterable[int], before: Mapping[int, set[int]]) -> list[int]:
    """Sort so that each comes after what it waits for, and else keeps its place.

    In a cycle the first goes first: nobody can do better.
    """
    order = [*items]
    place = {item: number for number, item in enumerate(order)}
    left = dict.fromkeys(order)
    awaited = {item: before[item] & left.keys() for item in order}
    followers: dict[int, list[int]] = {item: [] for item in order}
    for item, earlier in awaited.items():
        for each in earlier:
            followers[each].append(item)
    ready = [place[item] for item in order if not awaited[item]]
    done: list[int] = []
    while left:
        item = order[heappop(ready)] if ready else next(iter(left))
        if item not in left:
            continue
        done.append(item)
        del left[item]
        for each in followers[item]:
            awaited[each].discard(item)
            if not awaited[each]:
                heappush(ready, place[each])
    return done


def _resize(groups: list[_Group], count: int) -> list[_Group]:
    """Join or split groups until there are so many; the order of their steps stays.

    Neighbours in that order may be joined, and any group be cut in two: later ones wait for earlier
    ones and never the other way round.
    """
    sized = list(groups)
    while len(sized) > count:
        at = min(range(len(sized) - 1), key=lambda n: len(sized[n]) + len(sized[n + 1]))
        sized[at : at + 2] = [sized[at] + sized[at + 1]]
    while len(sized) < count and any(len(group) > 1 for group in sized):
        at = max(range(len(sized)), key=lambda n: len(sized[n]))
        half = (len(sized[at]) + 1) // 2
        sized[at : at + 1] = [sized[at][:half], sized[at][half:]]
    return sized


def _make_session(
    plan: MasterPlan, work: _Work, number: int, group: _Group, homes: Mapping[int, int]
) -> PlannedSession:
    steps = tuple(work.steps[at] for at in group)
    needed = {each for step in steps for each in step.depends_on} - work.numbers
    outside = [s.id for s in plan.sessions if needed & {step.number for step in s.steps}]
    # Steps that wait for each other are an error of the plan, which sessions do not inherit.
    inside = {home for at in group for each in work.after[at] if (home := homes[each]) < number}
    goals = dict.fromkeys(step.goal for step in steps)
    title = next(iter(goals)) if len(goals) == 1 else ""
    return PlannedSession(
        id=_name_session(number),
        title=clip_line(title or "; ".join(step.title for step in steps), _TITLE_LIMIT),
        steps=steps,
        depends_on=(*outside, *map(_name_session, sorted(inside))),
        touch=tuple(dict.fromkeys(path for at in group for path in work.files[at])),
        exit=steps[-1].verify,
        line=steps[0].line,
    )


def _name_session(number: int) -> str:
    return f"S{number:02d}"
