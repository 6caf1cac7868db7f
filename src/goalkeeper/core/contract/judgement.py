"""What the witness saw of a goal on one exact tree. Verdicts are bound to these bytes."""

from __future__ import annotations

from collections.abc import Iterable

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import (
    MORE_FINDINGS,
    STRENGTHS,
    Finding,
    list_standing_findings,
)
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import MaybeEmpty, Value

ISOLATIONS = ("none", "checkout", "sandbox")  # from weak to strong; none opens no gate
FINDINGS_KEPT = 100


class Judged(Value):
    """One criterion: the verdict, why in a few words, and the digest of its evidence."""

    id: str
    verdict: Verdict
    reason: str = ""
    evidence: str = ""
    cached: bool = False
    tree: str = ""  # the tree that it was seen on, if that is another one than was asked about
    outside: bool | None = None  # True if it is unknown for a reason that lies outside of the tree
    limit: bool | None = None  # True if a limit is that reason: the work may have caused it, too


class Judgement(Value):
    tree: str
    commit: MaybeEmpty  # HEAD when it was judged; it is empty without commits
    contract: str  # it is the digest of the frozen contract
    isolation: MaybeEmpty
    criteria: tuple[Judged, ...]
    findings: tuple[Finding, ...] = ()
    uncached: bool = False  # every check ran, and none was answered from the cache
    standing: tuple[Judged, ...] = ()  # criteria of complete goals that the work may have broken
    conditions: tuple[str, ...] = ()  # why there was no sandbox, and what set-up could reach
    guarded: str = ""  # the tree with protected files as checks saw them, if that is another one

    @property
    def essence(self) -> str:
        """Return a digest of what it says; when and how often it was said does not matter."""
        seen = [[c.id, c.verdict] for c in self.criteria]
        against = [
            [f.rule, f.path, f.line, *([f.stands_by, f.stands] if f.stands else [])]
            for f in self.findings
        ]
        standing = [[[c.id, c.verdict] for c in self.standing]] if self.standing else []
        return digest([self.tree, self.contract, self.isolation, seen, against, *standing])

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """Return findings that close the gate, because nobody let them stand."""
        return tuple(finding for finding in self.findings if finding.is_open)

    @property
    def unproven_criteria(self) -> tuple[Judged, ...]:
        judged = (*self.criteria, *self.standing)
        return tuple(c for c in judged if c.verdict is not Verdict.PASSED)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Return why criteria could not be checked, if nothing else is left and no work helps."""
        left = self.unproven_criteria
        if self.open_findings or not all(c.outside for c in left):
            return ()
        return tuple(f"{c.id}: {c.reason}" for c in left)

    @property
    def hit_limit(self) -> bool:
        return any(c.limit for c in self.unproven_criteria)

    @property
    def has_failed(self) -> bool:
        """Return whether anything was seen to be wrong; what could not be checked was not."""
        failed = any(c.verdict is Verdict.FAILED for c in self.unproven_criteria)
        return failed or bool(self.open_findings) or not self.unproven_criteria

    @property
    def is_proven(self) -> bool:
        return bool(self.criteria) and not self.unproven_criteria and not self.open_findings


def bound_findings(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return the strong ones first, and no more than a ledger line should hold.

    All that somebody let stand is kept: receipts name it.
    """
    rest = _sort_by_strength(f for f in findings if not f.stands)
    kept = _sort_by_strength((*list_standing_findings(findings), *rest[:FINDINGS_KEPT]))
    if len(rest) <= FINDINGS_KEPT:
        return tuple(kept)
    said = f"{len(rest) - FINDINGS_KEPT} more findings are not listed"
    more = Finding(MORE_FINDINGS, rest[FINDINGS_KEPT].level, "", 0, said)
    return (*kept, more)


def _sort_by_strength(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: STRENGTHS.index(finding.level))
