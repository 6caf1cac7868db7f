"""What a drive tells those who watch it."""

from __future__ import annotations

from typing import Protocol

from goalkeeper.clients.client import Activity
from goalkeeper.core import next_step
from goalkeeper.core.plan.model import Plan


class Onlooker(Protocol):
    """Somebody who watches the drive."""

    def see_step(self, plan: Plan, step: next_step.Step) -> None:
        """Show which step is taken now."""

    def hear_activity(self, activity: Activity) -> None:
        """Show what the agent does."""

    def see_note(self, text: str) -> None:
        """Show what goalkeeper itself has to say about the work."""

    def see_pause(self, seconds: int, until: str, why: str) -> None:
        """Show every second what the drive waits for."""
