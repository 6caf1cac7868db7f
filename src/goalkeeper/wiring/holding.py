"""The ports that holding sessions of a repository needs."""

from __future__ import annotations

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.bootstrap import App
from goalkeeper.hold.sessions import HoldDeps
from goalkeeper.wire.hold import Hold
from goalkeeper.wiring.judging import open_judge_context, open_plan_deps, open_witness
from goalkeeper.wiring.stores import open_holds


def open_hold_deps(app: App) -> HoldDeps:
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
        open_trees=lambda hold: open_witness(move_to(hold)).trees,
    )
