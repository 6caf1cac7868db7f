"""A hall over a repository, with checks as a contract has them."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.document import Criterion
from goalkeeper.system.run import ProgramLimits
from goalkeeper.witness.check_context import CheckResult, WorkFacts
from goalkeeper.witness.isolation import Isolation
from goalkeeper.witness.scheduler import CheckJob, CheckScheduler
from goalkeeper.witness.setup import ProjectSetup
from goalkeeper.witness.terms import CheckTerms
from tests.checks import check
from tests.contract.witness.repository import Repository

LIMITS = ProgramLimits(seconds=60.0, free_mb=0)


def sh(text: str, **options: object) -> Check:
    return check("command", ["sh", "-c", text], **options)


def spoil_in_shared_memory(path: str) -> str:
    """Return a command that changes a file; in tmpfs the file keeps its times."""
    code = (
        "import mmap, sys; file = open(sys.argv[1], 'r+b'); pages = mmap.mmap(file.fileno(), 0); "
        "pages[:] = pages[::-1]"
    )
    return shlex.join([sys.executable, "-c", code, path])


def no_work(**known: Any) -> WorkFacts:  # noqa: ANN401  fields of Work
    return WorkFacts(
        (), lambda: True, lambda *_: (), lambda _: None, {}, lambda _: [], 0.0
    ).replace(**known)


class Halls:
    """Runs checks on the working tree as it is."""

    def __init__(self, repo: Repository, *, isolation: Isolation = Isolation.CHECKOUT) -> None:
        self.trees = repo.trees()
        self.isolation = isolation
        self.setup: tuple[tuple[str, ...], ...] = ()
        self.fetch: tuple[tuple[str, ...], ...] = ()
        self.environ = dict(os.environ)
        self.keep: tuple[str, ...] = ()
        self.hidden: tuple[str, ...] = (str(repo.root),)
        self.protected: frozenset[str] = frozenset()
        self.fresh = False

    def terms(self, tree: str) -> CheckTerms:
        setup = ProjectSetup(self.setup, LIMITS, {}, self.fetch)
        setup = setup.read_tree(tree, self.trees.list_entries(tree))
        return CheckTerms(self.isolation, LIMITS, self.environ, self.keep, self.hidden, setup)

    def hall(self, criteria: Mapping[str, Criterion]) -> CheckScheduler:
        return CheckScheduler(
            self.trees,
            criteria,
            self.terms,
            self.trees.open_tree,
            no_work(),
            self.protected,
            self.fresh,
        )

    def run(self, *checks: Check, held_out: Sequence[str] = ()) -> list[CheckResult]:
        tree = self.trees.take_snapshot().tree
        criteria = {
            f"C{n}": Criterion(f"C{n}", "", check, held_out=tuple(held_out))
            for n, check in enumerate(checks)
        }
        seen = self.hall(criteria).run_jobs([CheckJob(name, tree) for name in criteria])
        return [seen[CheckJob(name, tree)] for name in criteria]


def output(seen: CheckResult) -> str:
    assert seen.ended is not None
    return getattr(seen.ended.ran, "out").text.strip()  # type: ignore[no-any-return]  # noqa: B009
