"""A question of a test, and the program that asks it outside of any test.

The program prints a line for each answer: the nonce, the number of the question, the number of the
input (0 is the test's own), the kind (`expected`, `value`, `error`, `absent` where what is asked
cannot be loaded, `equal` after a value that only its own class calls equal to the one that is told,
`replaced` for a function of the language that the product has replaced, `refused` for a question
that the test expects to be refused, `through` for a function that it runs through, `aside` for a
step in one that only the test's own numbers lead to), and the answer as JSON text. What is expected
is printed before the product is loaded: afterwards it could bend what prints. Neighbours come last:
an answer may depend on what was asked before it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from goalkeeper.tamper.questions.other_parts import OtherPart
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

MOST_QUESTIONS = 60  # of a suite; they are asked one after another, with every neighbour
NEIGHBOURS = 8
LEAST_NEIGHBOURS = 4  # fewer tell nothing of a question
LEAST_TELLING = 3  # fewer new answers may be for inputs that are special indeed
WALKING_SECONDS = 0.7  # of the processor's time, to see what calls go through
# Of the processor's time, neighbours may take so long, or a quarter of what the questions took;
# with what they wait for, never longer than the most. Those of one question have a share of it, and
# each of them ends after so long, or so many times as long as the question took.
LEAST_SECONDS = 0.5
MOST_SECONDS = 10.0
SHARE_SECONDS = 0.35
LATE_SECONDS = 0.1
LATER = 50
LATE_WALK_SECONDS = 0.02
ENDLESS_SECONDS = 2.0  # who searches for long, and on a busy machine, comes to an end before
# Names of the environment that what is no test has, too, and that answers may depend on; what every
# process has anyway is not among them, so that few are left: who counts them learns nothing.
USUAL_NAMES = (
    "PATH", "HOME", "LANG", "LC_ALL", "TZ", "NO_COLOR", "FORCE_COLOR",
    "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONHASHSEED",
)  # fmt: skip


# Objects that nobody described are shown with the place that they lie at, which says nothing.
SOMEWHERE = "at a place"
_ADDRESS = late_pattern(r"\bat 0x[0-9A-Fa-f]+")


class Renaming(Value):
    """A call in which a part of the inputs is another one, wherever it stands."""

    call: str
    part: OtherPart


class Question(Value):
    """One call, as the test writes it, with what the test compares the answer with."""

    call: str
    expected: str  # it is empty where nobody knows it
    others: tuple[str, ...]  # the same call with neighbours of its inputs
    line: int
    has_digits: bool  # its inputs have at least two digits: people do not list such inputs
    grown: tuple[str, ...] = ()  # the same call with one more in its list
    given: tuple[str, ...] = ()  # the lists of all these, if they have one
    apart: str = ""  # the call with the product in a process of its own, if that can be
    renamed: tuple[Renaming, ...] = ()
    is_played: bool = False  # the call is a text of several steps, of which the last is asked
    far: tuple[str, ...] = ()  # the same call with inputs that are much longer, or shorter
    walked: tuple[tuple[str, ...], ...] = ()  # by number, the call with others in its place
    shifted: tuple[str, ...] = ()  # the call with all numbers larger, or smaller, by the same
    is_refused: bool = False  # the test expects an error
    test: str = ""  # the name of the test's function, if it has one

    @property
    def first_renamed(self) -> int:
        return 1 + len(self.others) + len(self.grown)

    def list_other_calls(self) -> tuple[str, ...]:
        """Return what is asked beside the test's own call; the first has the number 1."""
        return (*self.others, *self.grown, *(each.call for each in self.renamed), *self.far)


class QuestionSheet(Value):
    """The questions of one test file, and what must be loaded to ask them."""

    path: str
    head: tuple[str, ...]  # statements that load what the calls name
    questions: tuple[Question, ...]
    functions: tuple[tuple[str, str], ...] = ()  # those of the test, in its process and apart


class AskingProgram(Value):
    """A file to lay into a tree, and the words that run it there."""

    path: str
    text: str
    argv: tuple[str, ...]


ReadText: TypeAlias = Callable[[str], str | None]  # gives the text of another file of the tests


def read_nothing(_: str) -> None:
    return None


class Answer(NamedTuple):
    kind: str
    text: str


AnswerKey: TypeAlias = tuple[int, int]  # the question and its input
AnswerLines: TypeAlias = dict[AnswerKey, list[Answer]]


def read_answers(output: str, nonce: str) -> AnswerLines:
    """Return what a program of questions printed; runners put something before each line."""
    found: AnswerLines = {}
    for line in output.split("\n"):
        _, is_ours, told = line.partition(nonce)
        words = told.split(None, 3)
        if not is_ours or len(words) < 4:  # noqa: PLR2004  as many as a line has
            continue
        with suppress(ValueError, RecursionError):
            key, text = (int(words[0]), int(words[1])), json.loads(words[3])
            if isinstance(text, str) and 0 <= key[0] < MOST_QUESTIONS:
                answer = Answer(words[2], _ADDRESS.sub(SOMEWHERE, text))
                found.setdefault(key, []).append(answer)
    return found


def choose_answers(answers: AnswerLines, *, expected: bool) -> dict[AnswerKey, Answer]:
    """Return the first of each: what is expected, or what was answered."""
    kinds = {"expected"} if expected else {"value", "error", "absent"}
    return {
        key: told[0]
        for key, each in answers.items()
        if (told := [answer for answer in each if answer.kind in kinds])
    }


def has_told(answers: AnswerLines, kind: str) -> bool:
    """Return whether a program came so far: `asked` all questions, or to its `end`."""
    return any(answer.kind == kind for answer in answers.get((0, 0), ()))
