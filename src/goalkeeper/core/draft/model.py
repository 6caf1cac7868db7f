"""What is recorded of a draft: who examined, what each test showed, and who accepted it."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.wire.value import MaybeEmpty, Value

TYPE_CHECKING = False
if TYPE_CHECKING:  # few plans hold a draft
    from goalkeeper.core.drive.phases import Record


STANDS, WRONG = "stands", "wrong"


class Standing(StrEnum):
    """What a drafted test is worth."""

    BINDING = "binding"
    DISPUTED = "disputed"  # the other examiner's solution does not meet it
    WEAK = "weak"  # it notices no fault
    DROPPED = "dropped"


class DraftedTest(Value):
    """A test of a draft: the criterion that it belongs to, and what it showed."""

    id: str  # its criterion in the contract, such as C1
    text: MaybeEmpty
    examiner: int
    standing: Standing
    rule: str = ""  # the rule by which it is not binding
    reason: str = ""
    held_out: bool = False
    killed: int = 0  # so many faults it noticed


class Examiner(Value):
    """An examiner that was asked: its process, and the digests of its prompt and answer."""

    number: int
    round: int
    agent: str
    process: Record
    prompt: MaybeEmpty
    answer: str = ""  # it is empty if the answer cannot be used
    problems: tuple[str, ...] = ()
    model: str = ""


class Opinion(Value):
    """What a fresh examiner says of a drafted contract that a worker cannot meet."""

    word: MaybeEmpty  # stands or wrong; empty if its answer cannot be used
    because: MaybeEmpty
    about: MaybeEmpty  # what it was told about the work
    agent: str
    process: Record
    prompt: MaybeEmpty
    model: str = ""

    def __str__(self) -> str:
        if not self.word:
            return f"no examiner answered ({self.because})"
        how = "stands" if self.word == STANDS else "is wrong"
        return f"a fresh examiner says that it {how}: {self.because}"


class Draft(Value):
    """A contract that was drafted for a goal."""

    contract: str  # the contract, in JSON, without what nobody has approved
    tests: tuple[DraftedTest, ...]
    round: int
    examiners: int
    faults: int = 0  # so many faults were tried
    killed: int = 0  # so many of them a binding test noticed
    questions: tuple[str, ...] = ()  # what no check can settle
    assumptions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # what its tests call and the base does not have
    accepted_by: str = ""  # human, or unattended when nobody looked; empty until then

    def list_tests(self, standing: Standing) -> tuple[DraftedTest, ...]:
        return tuple(test for test in self.tests if test.standing is standing)
