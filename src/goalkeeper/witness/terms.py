"""The conditions under which checks run, and the path at which programs see every checkout."""

from __future__ import annotations

import os
from collections.abc import Mapping

from goalkeeper.git.trees import Trees
from goalkeeper.system.environment import build_check_environment
from goalkeeper.system.run import ProgramLimits
from goalkeeper.wire.value import Value
from goalkeeper.witness.isolation import Isolation
from goalkeeper.witness.pool import CheckoutSlot
from goalkeeper.witness.sandbox import find_plain_account
from goalkeeper.witness.setup import ProjectSetup


class CheckTerms(Value):
    """The conditions for checks: isolation, limits, and what they may see."""

    isolation: Isolation
    limits: ProgramLimits
    environ: Mapping[str, str]  # the user's environment
    keep: tuple[str, ...]  # variables with these names pass
    hidden: tuple[str, ...]  # no check may see these paths
    setup: ProjectSetup
    exams: tuple[str, ...] = ()  # held-out files lie here
    seen_at: str = ""  # programs in a sandbox see the checkout here, else at one path for all

    @property
    def is_shut_in(self) -> bool:
        return self.isolation is Isolation.SANDBOX

    def list_kept(self, slot: CheckoutSlot) -> tuple[str, ...]:
        """Return the paths that a checkout of the next tree must not change."""
        return () if self.is_shut_in else self.setup.list_kept(slot)

    @property
    def path(self) -> str:
        """Return the PATH in which programs are searched."""
        env = build_check_environment(self.environ, home="", tmp="", keep=(), forbidden=self.hidden)
        return env["PATH"]

    def list_conditions(self, missing: str) -> tuple[str, ...]:
        """Return what the level does not say: why it is no sandbox, and what set-up could reach."""
        reasons = (f"there was no sandbox: {missing}",) if missing else ()
        if self.isolation is Isolation.NONE:  # there is no set-up
            return reasons
        return (*reasons, *self.setup.describe_network(shut_in=self.is_shut_in))


def find_shared_path(trees: Trees) -> str:
    """Return the path at which programs in a sandbox see every checkout; it tells nothing."""
    account = find_plain_account()
    return account.project if account else os.path.realpath(f"{trees.checkouts}/tree")
