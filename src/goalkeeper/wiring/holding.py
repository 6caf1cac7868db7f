"""Holds of sessions of a repository, with the ports that they need."""

from __future__ import annotations

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.bootstrap import App
from goalkeeper.core.plan.model import Refused
from goalkeeper.hold import sessions
from goalkeeper.hold.sessions import BegunHold, HoldDeps
from goalkeeper.wire.hold import Hold
from goalkeeper.wiring.judging import open_judge_context, open_plan_deps
from goalkeeper.wiring.stores import open_holds
from goalkeeper.wiring.trees import open_trees


def begin_hold(app: App, asked: Hold, brief: str) -> BegunHold | Refused:
    return sessions.begin(_open_hold_deps(app), asked, brief)


def end_hold(app: App, hold: Hold, why: str) -> tuple[Hold, bool]:
    return sessions.let_go(_open_hold_deps(app), hold, why)


def prove_hold(app: App, hold: Hold, *, since: float, records: bool) -> Hold:
    return sessions.prove(_open_hold_deps(app), hold, since=since, records=records)


def _open_hold_deps(app: App) -> HoldDeps:
    def move_to(hold: Hold) -> App:
        """Return an App that works where the session works."""
        return app.replace(world=app.world.replace(cwd=hold.worktree))

    def judge_for(hold: Hold) -> JudgeContext:
        return open_judge_context(move_to(hold), app.runs.named(hold.run))

    return HoldDeps(
        holds=open_holds(app),
        planning=open_plan_deps(app),
        state=app.state,
        open_context=judge_for,
        open_trees=lambda hold: open_trees(move_to(hold)),
    )
