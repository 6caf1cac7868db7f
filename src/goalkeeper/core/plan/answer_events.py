"""What happens when a goal is verified that no program settles alone, or that recurs."""

from __future__ import annotations

from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.wire.value import MaybeEmpty, Value


class StepVerified(Value):
    """A step has passed its last gate; it counts while its inputs are the same."""

    goal_id: str
    step: MaybeEmpty
    inputs: MaybeEmpty
    note: str = ""


class QuestionsAnswered(Value):
    """Criteria that no program settles count as met on this tree, and on no other."""

    goal_id: str
    criteria: tuple[str, ...]
    tree: MaybeEmpty
    contract: MaybeEmpty
    reason: MaybeEmpty
    answers: str = ""  # the digest of the document in the run's evidence; empty: a human looked
    overrides: tuple[str, ...] = ()


class AbbreviationRefused(Value):
    """An obligation was to be cut short on grounds that the record does not bear out."""

    goal_id: str
    step: MaybeEmpty
    condition: MaybeEmpty
    reason: MaybeEmpty


class HypothesisExpired(Value):
    goal_id: str
    evidence: MaybeEmpty


class CycleAchieved(Value):
    """A recurring goal was proven once more; it is pending again."""

    goal_id: str
    cycle: MaybeEmpty
    evidence: MaybeEmpty
    gate: str = ""
    judgement: Judgement | None = None


VerifyEvent = (
    StepVerified | QuestionsAnswered | AbbreviationRefused | HypothesisExpired | CycleAchieved
)
