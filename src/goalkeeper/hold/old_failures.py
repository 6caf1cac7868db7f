"""Tests that failed when a hold began: which of them pass now, and which still fail."""

from __future__ import annotations

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.core.contract.test_ids import align_cases
from goalkeeper.core.plan.model import Goal
from goalkeeper.tamper.identity import compare
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import list_some
from goalkeeper.witness.known_tests import read_cases


class OldFailures(Value):
    mended: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def describe(self) -> str:
        """Say what became of them; empty if there were none."""
        told = [f"mended: {list_some(self.mended)}"] if self.mended else []
        if self.left:
            told.append(f"NOT mended, failing before and now: {list_some(self.left)}")
        return "; ".join(told)


def find_old_failures(context: JudgeContext, goal: Goal, judgement: Judgement) -> OldFailures:
    """Compare the tests of a judgement with those on the base, as far as checks name them."""
    on_base = dict(pair.split(" ", 1) for pair in goal.frozen.evidence) if goal.frozen else {}
    mended: list[str] = []
    left: list[str] = []
    for seen in judgement.criteria:
        documents = [
            context.witness.read_kept(d) for d in (on_base.get(seen.id, ""), seen.evidence)
        ]
        before, after = (read_cases(document or {}) for document in documents)
        if before and after:
            aligned = align_cases(after, {case.id for case in before})
            compared = compare(before, aligned, {})
            mended += compared.fixed
            left += compared.still_failing
    return OldFailures(tuple(mended), tuple(left))
