"""What only the user's own checkout has: it shows why a check fails that passes there.

A check that fails on the base runs once more in a sandbox, with these files laid into a clean
checkout, read-only, at the path where the user has them. Credentials are not among them.
"""

from __future__ import annotations

import os
from functools import cached_property

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.projects.environments import is_cache, rank_environment
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.git.untracked import list_ignored
from goalkeeper.wire import layout
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import CheckResult, list_some
from goalkeeper.witness.credentials import is_named_like_credential
from goalkeeper.witness.scheduler import CheckJob, CheckScheduler
from goalkeeper.witness.setup import LentSetup
from goalkeeper.witness.setups import SetupShelf

_MOST = 40  # of more than these nobody could say which one matters


class OwnFiles(Value):
    """What git does not track in the user's checkout, and the checks that may run with it."""

    trees: Trees
    scheduler: CheckScheduler

    def compare_result(self, job: CheckJob, seen: CheckResult) -> CheckResult:
        """Return a failure as unknown if the check passes with what only the user has."""
        terms = self.scheduler.terms(job.tree)
        kept = SetupShelf(self.trees.checkouts).find_kept(terms.setup.key)
        missing = [path for path in self._found if not kept or path not in kept.made]
        if not missing or not terms.is_shut_in:  # without a sandbox a check could change them
            return seen
        there = self.scheduler.replace(
            terms=lambda tree: self.scheduler.terms(tree).replace(seen_at=self.trees.worktree),
            lent=LentSetup(self.trees.worktree, self._found),
        )
        if there.run_jobs([job])[job].verdict is not Verdict.PASSED:
            return seen
        said = f"it passes with {list_some(missing)} of your checkout, which git does not track"
        reason = f"{said}; without: {seen.reason}"
        return seen.replace(verdict=Verdict.UNKNOWN, reason=reason, outside=True)

    @cached_property
    def _found(self) -> tuple[str, ...]:
        """Return what git ignores, without caches; folders of packages come first."""
        try:
            ignored = list_ignored(self.trees.user_git)
        except GitFailed:
            return ()
        found = [path for path in ignored if self._may_matter(path)]
        return tuple(sorted(found, key=rank_environment)[:_MOST])

    def _may_matter(self, path: str) -> bool:
        full = os.path.join(self.trees.worktree, path)
        is_plain = not os.path.islink(full) and (os.path.isdir(full) or os.path.isfile(full))
        is_ours = path.split("/", maxsplit=1)[0] == layout.STATE_DIR
        is_secret = is_named_like_credential(os.path.basename(path))
        return is_plain and not (is_ours or is_secret or is_cache(path))
