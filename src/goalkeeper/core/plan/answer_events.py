"""What happens when a goal is verified that no program settles alone, or that recurs."""

from __future__ import annotations

from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.wire.value import Value


class StepVerified(Value):
    """A step has passed its last gate; it counts while its inputs are the same."""

    goal_id: str
    step: str
    inputs: str
    note: str = ""


class QuestionsAnswered(Value):
    """Criteria that no program settles count as met on this tree, and on no other."""

    goal_id: str
    criteria: tuple[str, ...]
    tree: str
    contract: str
    reason: str
    answers: str = ""  # the digest of the document in the run's evidence; empty: a human looked
    overrides: tuple[str, ...] = ()


class AbbreviationRefused(Value):
    """An obligation was to be cut short on grounds that the record does not bear out."""

    goal_id: str
    step: str
    condition: str
    reason: str


class HypothesisExpired(Value):
    goal_id: str
    evidence: str


class CycleAchieved(Value):
    """A recurring goal was proven once more; it is pending again."""

    goal_id: str
    cycle: str
    evidence: str
    gate: str = ""
    judgement: Judgement | None = None


VerifyEvent = (
    StepVerified | QuestionsAnswered | AbbreviationRefused | HypothesisExpired | CycleAchieved
)
