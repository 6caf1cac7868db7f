"""What a drafted test is worth, from the table of its runs. No model is asked."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.draft.model import Standing
from goalkeeper.wire.value import Value

GREEN_ON_BASE, CANNOT_RUN, RED_ON_REFERENCE, UNSTABLE, NOTICES_NOTHING, ONE_READING = (
    "green-on-base", "cannot-run", "red-on-reference", "unstable", "notices-nothing",
    "one-reading",
)  # fmt: skip
_SEEN = {Verdict.PASSED: "green", Verdict.FAILED: "red", Verdict.UNKNOWN: "not to be run"}


class RunTable(Value):
    """How one test came out, each time that it ran."""

    base: Sequence[Verdict]
    own: Sequence[Verdict]  # on the solution of its author
    others: Sequence[Verdict]  # on the solutions of other examiners
    faults: Sequence[Verdict] = ()
    lint: tuple[str, str] = ("", "")  # the rule that its text breaks, and why
    reason: str = ""  # what the first run on the base said
    own_reason: str = ""
    apart: RunTable | None = None  # how it came out where it is held out

    @property
    def is_sound(self) -> bool:
        """Return whether nothing makes it useless, as far as it has run."""
        return not _find_flaw(self)[0]

    @property
    def is_tied(self) -> bool:
        """Return whether it is sound, but not where it is held out."""
        return bool(self.apart) and _find_flaw(self)[0] == CANNOT_RUN

    @property
    def is_agreed(self) -> bool:
        """Return whether all solutions meet it, as far as it has run."""
        return self.is_sound and all(verdict is Verdict.PASSED for verdict in self.others)

    @property
    def killed(self) -> int:
        return sum(verdict is Verdict.FAILED for verdict in self.faults)


class Rating(Value):
    standing: Standing
    rule: str = ""
    reason: str = ""


def rate_test(runs: RunTable) -> Rating:
    """Rate a test. What makes it useless comes before what makes it doubtful."""
    rule, why = _find_flaw(runs)
    if rule:
        return Rating(Standing.DROPPED, rule, why)
    if runs.faults and not runs.killed:
        said = f"it is green on all {len(runs.faults)} faults that were tried"
        return Rating(Standing.WEAK, NOTICES_NOTHING, said)
    if not runs.is_agreed:
        said = "the solution of the other examiner does not meet it"
        return Rating(Standing.DISPUTED, ONE_READING, said)
    return Rating(Standing.BINDING)


def _find_flaw(runs: RunTable) -> tuple[str, str]:
    base, own = {*runs.base}, {*runs.own}
    if Verdict.UNKNOWN in own:
        return CANNOT_RUN, runs.own_reason
    if len(own) > 1 or len(base) > 1:
        doubtful = own if len(own) > 1 else base
        seen = [said for verdict, said in _SEEN.items() if verdict in doubtful]
        return UNSTABLE, f"the same files were once {' and once '.join(seen)}"
    if base == {Verdict.PASSED}:
        return GREEN_ON_BASE, "it is green before any work"
    if own == {Verdict.FAILED}:
        return RED_ON_REFERENCE, runs.own_reason
    if base == {Verdict.UNKNOWN}:
        return CANNOT_RUN, runs.reason
    rule, why = _find_flaw(runs.apart) if runs.apart else ("", "")
    if rule and rule != UNSTABLE:
        return CANNOT_RUN, f"it cannot run where it is held out: {why}"
    return (rule, why) if rule else runs.lint
