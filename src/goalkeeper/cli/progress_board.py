"""The same as `progress`, for a terminal: a board that stays in place while work goes on."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Self, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goalkeeper.app.ports import Clock
from goalkeeper.app.queries.drives import describe_cost
from goalkeeper.cli.progress import CLIP, ProgressLines
from goalkeeper.cli.reply import keep_line, visible
from goalkeeper.clients.client import Activity
from goalkeeper.core import next_step
from goalkeeper.core.contract.criteria import CriterionStatus
from goalkeeper.core.drive.state import Drive
from goalkeeper.core.plan.model import GoalStatus, Plan

_ACTIVITIES = 6
_STYLES = {
    CriterionStatus.PASS: "green",
    CriterionStatus.FAIL: "red",
    CriterionStatus.REGRESSED: "bold red",
    CriterionStatus.BLOCKED: "yellow",
    CriterionStatus.PENDING: "dim",
}


class ProgressBoard(ProgressLines):
    """Shows what is under way at the bottom; what is settled moves up."""

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        super().__init__(stream, clock)
        self._console = Console(file=stream, highlight=False)
        self._recent: deque[str] = deque(maxlen=_ACTIVITIES)
        self._plan: Plan | None = None
        self._live = Live(get_renderable=self._render, console=self._console, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # the terminal may be gone
            self._live.stop()

    def see_step(self, plan: Plan, step: next_step.Step) -> None:
        self._plan = plan
        if isinstance(step, next_step.Exec):
            self._recent.clear()
        super().see_step(plan, step)

    def hear_activity(self, activity: Activity) -> None:
        self._recent.append(f"{activity.kind} {activity.text}"[:CLIP])

    def _say(self, text: str) -> None:
        with suppress(OSError):
            self._console.print(Text(visible(text)), soft_wrap=True)

    def _render(self) -> Group:
        plan = self._plan
        if plan is None or plan.drive is None:
            return Group()
        recent = [Text(visible(keep_line(f"    {line}")), "dim") for line in self._recent]
        return Group(*recent, self._criteria(plan), Text(self._describe_spend(plan.drive), "cyan"))

    def _criteria(self, plan: Plan) -> Table:
        board = Table.grid(padding=(0, 2))
        for goal in plan.with_status(GoalStatus.ACTIVE):
            for state in goal.table:
                status = Text(str(state.status), _STYLES[state.status])
                board.add_row(goal.id, state.id, status, Text(visible(state.reason)[:CLIP], "dim"))
        return board

    def _describe_spend(self, drive: Drive) -> str:
        """Show time, tokens and money, each beside its limit."""
        budget = drive.budget
        worked = drive.used_ms(self._clock()) // 1000
        of_time = f" of {budget.seconds}" if budget.seconds else ""
        of_cost = f" of ${budget.microdollars / 1e6:.2f}" if budget.microdollars else ""
        return f"{drive.agent}  {worked}{of_time} s  {describe_cost(drive)}{of_cost}"
