"""What a reading of the change found, beside the verdicts of checks, and who let it stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from goalkeeper.wire.value import MaybeEmpty, Value

MORE_FINDINGS = "more-findings"
_HUMAN = "human"
_IN_FULL = 3  # so many open findings are told with all that helps, and the rest in a line
FINDINGS_SHOWN = 20


class Level(StrEnum):
    """How strong a rule is, from strong to weak."""

    BLOCKING = "blocking"  # it closes the gate
    ASKING = "asking"  # it closes the gate until somebody answers it with a reason
    ADVISORY = "advisory"  # it is shown to the reviewer


STRENGTHS = tuple(Level)


class Finding(Value):
    rule: str
    level: Level
    path: MaybeEmpty
    line: int = 0  # 0 means the file as a whole
    message: MaybeEmpty = ""
    why: str = ""  # the reason of the rule
    mend: str = ""  # what an honest author does instead
    content: str = ""  # the bytes that it is about: of the file, else the whole tree
    stands: str = ""  # the reason why somebody let it stand
    stands_by: str = ""  # who did: human or agent

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        place = f" {self.path}{line}" if self.path else ""
        stands = f" (let stand by {self.stands_by}: {self.stands})" if self.stands else ""
        return f"{self.rule}{place}: {self.message}{stands}"

    @property
    def is_open(self) -> bool:
        """Return whether it closes the gate, because nobody let it stand."""
        return self.level is not Level.ADVISORY and not self.stands

    @property
    def is_question(self) -> bool:
        """Return whether a worker may answer it. Nobody answers for what is not listed."""
        return self.level is Level.ASKING and self.rule != MORE_FINDINGS


class FindingAnswer(Value):
    """Why findings of one rule in one file may stand, and who says so.

    It is about what these messages say of these bytes, and covers nothing that comes later.
    """

    rule: str
    path: MaybeEmpty
    messages: tuple[str, ...]
    content: MaybeEmpty
    reason: str
    by: str  # human or agent

    def fits(self, finding: Finding) -> bool:
        """Return whether it lets this finding stand; only a human's word opens what blocks."""
        about = (finding.rule, finding.path, finding.content)
        is_meant = about == (self.rule, self.path, self.content) and bool(self.content)
        is_heard = self.by == _HUMAN or finding.is_question
        return is_meant and is_heard and finding.message in self.messages


def let_stand(findings: Iterable[Finding], answers: Sequence[FindingAnswer]) -> tuple[Finding, ...]:
    """Return the findings, each with the answer that lets it stand, if there is one."""
    heard = sorted(answers, key=lambda answer: answer.by == _HUMAN)  # a human's word counts more
    return tuple(_answer_finding(finding, heard) for finding in findings)


def _answer_finding(finding: Finding, heard: Sequence[FindingAnswer]) -> Finding:
    bare = finding.replace(stands="", stands_by="")
    fitting = [answer for answer in heard if bare.is_open and answer.fits(bare)]
    return bare.replace(stands=fitting[-1].reason, stands_by=fitting[-1].by) if fitting else bare


def list_standing_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.stands)


def describe_let_stand(finding: Finding) -> str:
    """Say who let a finding stand and why, and what it is."""
    about = finding.replace(stands="", stands_by="")
    return f"let stand by {finding.stands_by}: {finding.stands} ({about})"


def suggest_answer(finding: Finding, goal_id: str) -> str:
    """Suggest the command that lets a finding stand."""
    from shlex import quote  # noqa: PLC0415  most judgements find nothing

    path = f" --path {quote(finding.path)}" if finding.path else ""
    asked = f"goalkeeper let-stand --goal-id {goal_id} --finding {finding.rule}{path}"
    return f'{asked} --reason "<why it is right>"'


def describe_lesson(finding: Finding) -> str:
    """Say what was found, why it matters, and what an honest author does instead, in a line."""
    why = f" ({finding.why})" if finding.why else ""
    return f"{finding}{why}" + (f" Instead: {finding.mend}" if finding.mend else "")


def explain_findings(findings: Sequence[Finding], goal_id: str) -> list[str]:
    """Explain findings to a worker, each with file, line, the rule's reason and what to do.

    What was let stand comes first, then the first few that are open in full, then some of the rest.
    """
    standing, still_open = list_standing_findings(findings), [f for f in findings if f.is_open]
    still_open.sort(key=lambda finding: STRENGTHS.index(finding.level))
    full = [line for each in still_open[:_IN_FULL] for line in _explain_finding(each, goal_id)]
    notes = [each for each in findings if not each.is_open and not each.stands]
    rest = [f"{each.level} {each}" for each in (*still_open[_IN_FULL:], *notes)]
    left = len(rest) - FINDINGS_SHOWN
    more = [f"and {left} more: goalkeeper why {goal_id} --json"] if left > 0 else []
    return [*(f"{each.level} {each}" for each in standing), *full, *rest[:FINDINGS_SHOWN], *more]


def _explain_finding(finding: Finding, goal_id: str) -> list[str]:
    lines = [f"{finding.level} {finding}"]
    lines += [f"  why: {finding.why}"] if finding.why else []
    lines += [f"  instead: {finding.mend}"] if finding.mend else []
    who = "or answer" if finding.is_question else "a human may"
    return [*lines, f"  {who}: {suggest_answer(finding, goal_id)}"]
