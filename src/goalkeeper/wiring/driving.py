"""The ports that driving agents and reviewing their work need."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.app.gating import ReadLane, read_plan_lane
from goalkeeper.bootstrap import APPROVAL_FILE, App, cache_home, config_home
from goalkeeper.clients.client import Client
from goalkeeper.core.draft.model import Opinion
from goalkeeper.core.drive.state import Budget, Running
from goalkeeper.core.plan.gate import trust_of_lane
from goalkeeper.core.plan.model import ENGINE, Goal, Plan
from goalkeeper.errors import GoalkeeperError
from goalkeeper.git.commits import merge_commits
from goalkeeper.git.repository import Git
from goalkeeper.git.surroundings import lay_commanding
from goalkeeper.git.views import lay_view
from goalkeeper.loop.apart import ProcessApart
from goalkeeper.loop.asked import AskedRecorder
from goalkeeper.loop.driver import Driver, DriverDeps
from goalkeeper.loop.examining import ask_opinion
from goalkeeper.loop.goal_worktrees import lay_setup
from goalkeeper.loop.history import History, read_history
from goalkeeper.loop.lanes import Lanes
from goalkeeper.loop.onlooker import Onlooker
from goalkeeper.loop.phase import PhaseRunner
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.record_copy import RecordCopy
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import make_folder
from goalkeeper.wire import layout
from goalkeeper.wire.clients import AGENTS
from goalkeeper.wiring.judging import open_judge_context, open_memory, open_witness
from goalkeeper.wiring.stores import KEYS, hold_user_lock
from goalkeeper.wiring.trees import (
    TREES,
    find_held_out,
    find_held_out_root,
    find_slots,
    open_trees,
    open_worktrees,
)
from goalkeeper.witness.evidence import EvidenceStore, excerpt_failure
from goalkeeper.witness.folders import name_repository
from goalkeeper.witness.isolation import Walls, explain_no_sandbox

_RUNS_READ = 10  # an older run is of no interest any more
_REVIEW = "review"  # worktrees of lanes without a run lie below this name
_SERVANTS = (
    "bus", "dbus/system_bus_socket", "systemd/private", "docker.sock", "podman/podman.sock",
    "containerd/containerd.sock",
)  # fmt: skip


def open_driver(
    app: App, chosen: FileRun, client: Client, onlooker: Onlooker, isolation: str = ""
) -> Driver:
    evidence = EvidenceStore(os.path.join(chosen.files.dir, layout.EVIDENCE))

    def judge_at(place: str) -> JudgeContext:
        engine = app.replace(world=app.world.replace(cwd=place), actor=ENGINE)
        return open_judge_context(engine, chosen, isolation)

    trees, runner = open_trees(app), _open_run_phases(app, chosen, client, onlooker)

    def find_copy(running: Running) -> RecordCopy:
        return RecordCopy(runner.find_copy(running), chosen, app.state)

    def ask(goal: Goal, about: str) -> Opinion:
        apart = open_apart(app, chosen, client)
        return ask_opinion(apart, trees.commit_of, chosen.read(), goal, about)

    deps = DriverDeps(
        run=chosen,
        runner=runner,
        worktrees=open_worktrees(app, chosen.run_id),
        open_judge_context=judge_at,
        commit_of=trees.commit_of,
        merge=partial(merge_commits, Git(app.root, trees.lent_environment, (app.root,))),
        output=lambda digest: excerpt_failure(evidence.get(digest)),
        memory=open_memory(app, chosen.run_id),
        onlooker=onlooker,
        clock=app.clock,
        trust=_rate_trust(app, client),
        challenge=ask,
        record_asked=AskedRecorder(chosen, app.clock, find_copy, judge_at).record,
    )
    return Driver(deps)


def open_apart(app: App, chosen: FileRun, client: Client) -> ProcessApart:
    """Open what examiners are asked with.

    What they print shows their tests, so it is not kept in the folder of the run, nor told.
    """
    traces = os.path.join(find_held_out(app, chosen.run_id), "examiners")
    with disk_errors("make the folder", traces):
        make_folder(traces, 0o700)
    runner = _open_runner(app, chosen.run_id, traces, client, None)
    return ProcessApart(runner, open_worktrees(app, chosen.run_id), Budget())


def open_history(app: App, chosen: FileRun) -> History:
    """Open what earlier runs of this repository came to."""
    memory = open_memory(app, chosen.run_id)
    plan = chosen.read()
    return read_history(plan, memory, _read_run_before(app, plan))


def _read_run_before(app: App, plan: Plan) -> Plan | None:
    """Return the newest earlier run that an agent was driven through.

    A session of a campaign has none: its campaign tells it what came before.
    """
    run_ids = sorted(app.runs.all_ids(), reverse=True)
    for run_id in run_ids[:_RUNS_READ] if layout.IN_CAMPAIGN not in app.world.environ else ():
        with suppress(GoalkeeperError):  # a damaged run tells nothing; `state doctor` says so
            known = app.runs.named(run_id).read()
            if known.drive and known.created_at < plan.created_at:
                return known
    return None


def open_lanes(app: App, chosen: FileRun, client: Client) -> Lanes:
    context = open_judge_context(app, chosen)
    return Lanes(
        apart=ProcessApart(
            _open_run_phases(app, chosen, client), open_worktrees(app, chosen.run_id), Budget()
        ),
        read_lane=partial(read_plan_lane, context),
        lay_setup=partial(lay_setup, context.witness, context.isolation),
        commit_of=open_trees(app).commit_of,
        trust=_rate_trust(app, client),
    )


def open_review_lanes(app: App, client: Client, place: str, read_lane: ReadLane) -> Lanes:
    """Open lanes that look at work without a run; what they leave lies in `place` for a while."""
    runner = _open_runner(app, "", place, client, None)
    witness = open_witness(app, place)
    return Lanes(
        apart=ProcessApart(runner, open_worktrees(app, _REVIEW), Budget()),
        read_lane=read_lane,
        lay_setup=partial(lay_setup, witness, ""),
        commit_of=witness.trees.commit_of,
        trust=_rate_trust(app, client),
    )


def open_planning(app: App, client: Client, place: str) -> ProcessApart:
    """Open what planners and critics are asked with; what they leave lies in `place`."""
    runner = _open_runner(app, "", place, client, None)
    return ProcessApart(runner, open_worktrees(app, _REVIEW), Budget())


def hold_review_lock(app: App) -> AbstractContextManager[None]:
    """Keep others from asking lanes about this repository's work, and thus from ending ours."""
    return hold_user_lock(app, f"{_REVIEW}-{name_repository(app.root)}", timeout_seconds=0)


def _open_runner(
    app: App, run_id: str, folder: str, client: Client, onlooker: Onlooker | None
) -> PhaseRunner:
    """Open what starts agents; the folder is for their phases. Without an id there is no run."""
    told = {layout.RUN: run_id} if run_id else {}
    environ = {name: text for name, text in app.world.environ.items() if name != layout.RUN} | told
    hear = onlooker.hear_activity if onlooker else lambda _: None
    secret = find_held_out_root(app)
    hidden = (secret, find_slots(app)) if os.path.isdir(os.path.join(secret, run_id)) else ()
    walls = (app.root, app.worktree)
    runner = PhaseRunner(client, environ, app.redactor, folder, hear, walls)
    if layout.IN_CAMPAIGN not in environ or explain_no_sandbox(environ):
        return runner.replace(find_walls=lambda *_: Walls(hidden=hidden))
    shut = _lay_hidden(app)

    def find_walls(worktree: str, place: str) -> Walls:
        return _find_walls(app, shut, worktree).replace(copied=_lay_copy(app, run_id, place))

    return runner.replace(find_walls=find_walls)


def _find_walls(app: App, hidden: Sequence[str], worktree: str) -> Walls:
    """Find what agents of a campaign cannot change: what others obey, and what others work on."""
    git, environ = lay_view(app.root, worktree), app.world.environ
    own = (app.state.dir, layout.state_home(environ), config_home(environ))
    # goalkeeper itself: whoever writes there, writes what judges and signs.
    program = (sys.prefix, *(path for path in sys.path if os.path.isdir(path)))
    return Walls(
        sealed=(*lay_commanding(app.root, environ), *own, *program, *git.sealed),
        hidden=hidden,
        free=git.free,
        apart=git.apart,
        is_alone=True,
    )


def _lay_copy(app: App, run_id: str, place: str) -> Sequence[tuple[str, str]]:
    if not run_id:
        return ()
    copy = RecordCopy(place, app.runs.named(run_id), app.state)
    copy.lay()
    return copy.places


def _lay_hidden(app: App) -> tuple[str, ...]:
    """List what agents of a campaign cannot see; folders are made, so that nobody else makes them.

    They have caches and trees of their own, so that no judgement finds there what they wrote.
    """
    environ = app.world.environ
    state, config = layout.state_home(environ), config_home(environ)
    for_sockets = {environ.get("TMUX_TMPDIR") or "/tmp", "/tmp"}  # noqa: S108  as tmux does it
    folders = (
        cache_home(environ), state, find_held_out_root(app), os.path.join(state, TREES),
        config, os.path.join(config, KEYS), os.path.join(app.state.dir, layout.CAMPAIGNS),
        *(os.path.join(place, f"tmux-{os.getuid()}") for place in for_sockets),
    )  # fmt: skip
    for folder in folders:
        with disk_errors("make the folder", folder):
            make_folder(folder, 0o700)
    files = (os.path.join(config, APPROVAL_FILE), *_list_servants(environ))
    shown = {state, config}
    return (*(each for each in folders if each not in shown), *filter(os.path.exists, files))


def _list_servants(environ: Mapping[str, str]) -> Iterator[str]:
    """List the sockets of servers that run what they are asked to, outside of all walls."""
    yield environ.get("TMUX", "").partition(",")[0]
    yield environ.get("DOCKER_HOST", "").removeprefix("unix://")
    for folder in ("/run", environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"):
        yield from (os.path.join(folder, name) for name in _SERVANTS)


def _open_run_phases(
    app: App, chosen: FileRun, client: Client, onlooker: Onlooker | None = None
) -> PhaseRunner:
    phases = os.path.join(chosen.files.dir, layout.PHASES)
    return _open_runner(app, chosen.run_id, phases, client, onlooker)


def _rate_trust(app: App, client: Client) -> str:
    return trust_of_lane(app.actor, is_known=client.name in AGENTS)
