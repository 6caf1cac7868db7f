"""The ports that running a campaign needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.app.handle import handle
from goalkeeper.app.plans import normalize_brief, read_brief
from goalkeeper.bootstrap import App, read_lock_timeout
from goalkeeper.campaign import audit
from goalkeeper.campaign.audit import DriftRow
from goalkeeper.campaign.executor import LocalExecutor
from goalkeeper.campaign.handing import describe_landed
from goalkeeper.campaign.parent import Parent, ParentDeps
from goalkeeper.campaign.preflight import PreflightDeps
from goalkeeper.campaign.queue import QueueDeps
from goalkeeper.core.campaign.contracts import make_brief, make_contracts
from goalkeeper.core.campaign.events import CampaignEvent
from goalkeeper.core.campaign.handoff import write_handoff
from goalkeeper.core.campaign.state import Campaign, PushTarget, SessionState, SessionStatus
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.decide import create
from goalkeeper.core.drive.events import DrivePaused, RefsMoved
from goalkeeper.core.plan import commands, ids
from goalkeeper.core.plan.model import ENGINE, Actor, Base, GoalMode, GoalStatus, Plan, Refused
from goalkeeper.errors import BriefInvalid, GoalkeeperError, TryAgain, UnknownRun
from goalkeeper.git import own_branch
from goalkeeper.git.own_branch import (
    create_branch,
    find_tip,
    move_branch,
    read_commit,
    restore_branch,
)
from goalkeeper.git.pushing import push_commit
from goalkeeper.git.surroundings import read_commanding
from goalkeeper.storage.campaigns import Campaigns, FileCampaign
from goalkeeper.storage.lock import hold_lock, is_held
from goalkeeper.wire import layout
from goalkeeper.wiring.trees import open_trees, open_worktrees

# It shows a campaign to whoever looks on, with the plans of the runs that are worked on.
SeeCampaign = Callable[[Campaign, Mapping[str, Plan]], None]


def open_campaigns(app: App) -> Campaigns:
    seconds = read_lock_timeout(app.world.environ)
    return Campaigns(app.runs, app.world.disk, timeout_seconds=seconds)


def open_queue(app: App) -> QueueDeps:
    engine = app.replace(actor=ENGINE)
    return QueueDeps(
        trees=open_trees(app),
        list_contracts=partial(_list_contracts, app),
        read_plan=lambda run_id: app.runs.named(run_id).read(),
        open_context=lambda run_id: _open_context(engine, run_id),
    )


def _open_context(app: App, run_id: str) -> JudgeContext:
    from goalkeeper.wiring.judging import open_judge_context  # noqa: PLC0415  only proofs need it

    return open_judge_context(app, app.runs.named(run_id))


def _list_contracts(app: App, campaign: Campaign, session: SessionState) -> tuple[Contract, ...]:
    return make_contracts(campaign.plan, session.planned, _list_known(app, campaign, session))


def _list_known(app: App, campaign: Campaign, session: SessionState) -> frozenset[str]:
    """List the files with which a session begins."""
    base = session.base or campaign.head
    return frozenset(open_trees(app).open_tree(base.tree).list_paths())


def open_preflight(
    app: App, campaign: Campaign, probe: Callable[[], tuple[str, str]]
) -> PreflightDeps:
    place = os.path.join(layout.state_home(app.world.environ), "worktrees")
    target = campaign.terms.push if campaign.terms else None

    def try_push() -> str:
        return push_head(app, campaign, target, is_trial=True) if target else ""

    return PreflightDeps(open_trees(app), place, probe, campaign.branch, try_push)


def find_push_target(app: App, remote: str, branch: str) -> PushTarget:
    return PushTarget(remote, branch, _list_commanding(app))


def _list_commanding(app: App) -> tuple[str, ...]:
    return tuple(f"{path} {digest}" for path, digest in read_commanding(app.root).items())


def list_uncommitted(app: App, origin: Base) -> tuple[str, ...]:
    """List the files with which a campaign began, and which are not so in the user's commit."""
    trees = open_trees(app)
    head = trees.find_commit("HEAD")
    return tuple(trees.list_differences(trees.find_tree(head), origin.tree)) if head else ()


def _is_users(app: App, commit: str) -> bool:
    """Return whether a branch of the user has a commit; else we made it of uncommitted files."""
    words = ("for-each-ref", f"--contains={commit}", "--format=%(refname)", "refs/heads")
    found = open_trees(app).user_git.ask_if_any(*words).split()
    return any(not name.startswith("refs/heads/goalkeeper/") for name in found)


def list_strange_commits(app: App, campaign: Campaign) -> tuple[str, ...]:
    """List commits of the head that no session landed, and that were not there at the beginning."""
    if not campaign.moved_to:
        return ()
    trees = open_trees(app)
    known: set[str] = set()
    for session in campaign.list_sessions(SessionStatus.LANDED):
        if session.landed and session.before:
            landed = trees.list_commits(session.before.commit, session.landed.commit)
            known |= {each.id for each in landed}
        if session.work:  # its agent may have put it there by itself, and it is proven
            known.add(session.work.commit)
    there = trees.list_commits(campaign.origin.commit, campaign.head.commit)
    return tuple(each.id for each in there if each.id not in known)


def explain_strange_commits(commits: Sequence[str]) -> str:
    """Say which commits nobody has proven, and what a human can do; nothing if there are none."""
    if not commits:
        return ""
    named = ", ".join(each[:12] for each in commits[:3])
    return (
        f"no session made {named}, and somebody else moved the branch there; read it with git show,"
        " then `goalkeeper campaign land` brings to your branch what the sessions made, and no more"
    )


def push_head(app: App, campaign: Campaign, target: PushTarget, *, is_trial: bool = False) -> str:
    """Push the head with the user's rights; return why it could not be done, or nothing.

    What git runs for a push must be what it was when the user asked for it.
    """
    if not _is_users(app, campaign.origin.commit):
        return "it began with files that you had not committed; commit them and plan anew"
    if problem := explain_strange_commits(list_strange_commits(app, campaign)):
        return problem
    if changed := {*target.commanding} ^ {*_list_commanding(app)}:
        names = sorted({each.rpartition(" ")[0] for each in changed})
        return f"{', '.join(names)} changed since you asked for it"
    environ, remote = app.world.environ, target.remote
    commit = campaign.head.commit
    said = push_commit(app.root, environ, commit, remote, target.branch, is_trial=is_trial)
    return app.redactor.clean_text(said)


def find_checkout(app: App, campaign: Campaign) -> str:
    """Return the worktree that has the campaign's branch, which would move beneath it."""
    return own_branch.find_checkout(open_trees(app), f"refs/heads/{campaign.branch}")


def make_branch(app: App, campaign: Campaign) -> None:
    """Make the branch on which the sessions of a campaign land."""
    trees, ref = open_trees(app), f"refs/heads/{campaign.branch}"
    if not trees.find_commit(ref):
        create_branch(trees, ref, campaign.origin)


def audit_session(app: App, session: SessionState) -> tuple[DriftRow, ...]:
    plan = _read_plan(app, session.run_id) if session.run_id else None
    return audit.audit_session(open_trees(app), session, plan) if plan else ()


def read_worked_plans(app: App, campaign: Campaign) -> dict[str, Plan]:
    """Read the plans of the sessions at work, by the ids of their runs."""
    plans: dict[str, Plan] = {}
    for session in campaign.list_sessions(SessionStatus.WORKING):
        with suppress(GoalkeeperError):  # a damaged run tells nothing; `state doctor` says so
            plans[session.run_id] = app.runs.named(session.run_id).read()
    return plans


def open_parent(app: App, store: FileCampaign, see: SeeCampaign) -> Parent:
    return Parent(_open_parent_deps(app, store, see))


def _open_parent_deps(app: App, store: FileCampaign, see: SeeCampaign) -> ParentDeps:
    trees = open_trees(app)
    ref = f"refs/heads/{store.read().branch}"
    maker = next(entry.actor for entry, _ in store.entries())
    plans: dict[str, Plan] = {}  # as the parent read them last, so that nobody reads them twice

    def read_plan(run_id: str) -> Plan | None:
        plan = _read_plan(app, run_id)
        if plan:
            plans[run_id] = plan
        return plan

    def record(event: CampaignEvent) -> Campaign:
        return store.record(event, at=app.clock(), actor=ENGINE)

    return ParentDeps(
        read=store.read,
        record=record,
        executor=LocalExecutor(store.files.logs, app.root, app.world.environ),
        make_run=partial(_make_run, app, maker),
        find_run_id=lambda: ids.run_id(
            app.clock(), app.world.suffix(), newest=next(reversed(app.runs.ids()), "")
        ),
        read_plan=read_plan,
        is_driven=lambda run_id: is_held(app.state.files_of_run(run_id).drive_lock),
        pause_run=partial(_pause_run, app),
        find_head=lambda: find_tip(trees, app.root, ref),
        read_commit=partial(read_commit, trees),
        make_head=partial(restore_branch, trees, app.root, ref),
        is_known=lambda base: bool(trees.find_commit(base.commit)),
        move_head=partial(move_branch, trees, app.root, ref),
        find_missing=partial(audit.find_missing, trees),
        clear_session=partial(_clear_session, app),
        push=partial(push_head, app),
        describe_landed=partial(describe_landed, trees, partial(_read_plan, app)),
        # -P keeps Python from taking files of the repository for modules of ours.
        words=lambda *words: [sys.executable, "-P", "-m", "goalkeeper", *words],
        see=lambda campaign: see(campaign, plans),
        clock=app.clock,
    )


def _read_plan(app: App, run_id: str) -> Plan | None:
    try:
        return app.runs.named(run_id).read()
    except UnknownRun:
        return None


def _make_run(app: App, maker: Actor, campaign: Campaign, session: SessionState) -> None:
    """Make the run of a session, unless it is there already."""
    if _read_plan(app, session.run_id) is not None:
        return
    numbers = [step.number for step in session.planned.steps]
    handoff = write_handoff(campaign, session)
    known = _list_known(app, campaign, session)
    text = make_brief(campaign.plan, session.planned, numbers, handoff, known)
    if isinstance(text, tuple):
        raise BriefInvalid(source=f"The plan of {session.id}", problems="; ".join(map(str, text)))
    brief = read_brief(text, f"the plan of {session.id}")
    command = commands.CreatePlan(
        session.run_id, normalize_brief(text), GoalMode.AGGREGATE, brief.constraints, brief.goals,
        base=session.base,
    )  # fmt: skip
    event = create(command, maker)
    with app.runs.holding():
        app.runs.create(event, at=app.clock(), actor=maker, is_apart=True)


def _clear_session(app: App, session: SessionState) -> None:
    """Remove the worktrees of a session that landed; its branches stay until they are cleaned."""
    for run_id in session.run_ids:
        with suppress(GoalkeeperError):  # `clean` looks after what is left
            worktrees = open_worktrees(app, run_id)
            plan = _read_plan(app, run_id)
            for goal in plan.goals if plan else ():
                if os.path.isdir(worktrees.find_path(goal.id)):
                    worktrees.remove_worktree(goal.id)


def list_moved_refs(app: App, campaign: Campaign) -> tuple[str, ...]:
    """List branches and tags that moved while agents were at work, nobody knows by whom."""
    found: dict[str, None] = {}
    for session in campaign.sessions.values():
        for run_id in session.run_ids:
            with suppress(GoalkeeperError):  # a damaged run tells nothing; `state doctor` says so
                entries = app.runs.named(run_id).entries()
                moved = (e.event.refs for e in entries if isinstance(e.event, RefsMoved))
                found |= dict.fromkeys(f"{session.id}: {ref}" for refs in moved for ref in refs)
    return tuple(found)


def is_run_lost(app: App, session: SessionState) -> bool:
    """Return whether nobody can read the run of a session any more, or write to it."""
    if not session.run_id:
        return False
    try:
        lock = app.state.files_of_run(session.run_id).lock
        with hold_lock(lock, shared=False, timeout_seconds=0):
            pass  # what cannot be held is no lock
        return _read_plan(app, session.run_id) is None
    except TryAgain:  # somebody works on it
        return False
    except GoalkeeperError:
        return True


def release_goals(app: App, session: SessionState, reason: str) -> Refused | None:
    """Let work go on at the goals that the session's plan or agent gave up; or say who may not.

    A run that waits goes on at once.
    """
    plan = _read_plan(app, session.run_id) if session.run_id else None
    for goal in plan.with_status(GoalStatus.BLOCKED) if plan else ():
        run, command = app.runs.named(session.run_id), commands.Unblock(goal.id, reason)
        if refused := handle(run, command, actor=app.actor, clock=app.clock).refused:
            return refused
    if plan and plan.drive and plan.drive.paused_until > app.clock():
        _pause_run(app, session.run_id, app.clock(), reason)
    return None


def _pause_run(app: App, run_id: str, until: str, why: str) -> None:
    command = commands.Advance(DrivePaused(until, why))
    handle(app.runs.named(run_id), command, actor=ENGINE, clock=app.clock)
