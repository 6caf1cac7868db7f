"""The languages whose tests can be read for questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from goalkeeper.tamper.questions.around import (
    SURROUNDINGS,
    SURROUNDINGS_OF_SHELL,
    Surrounding,
)
from goalkeeper.tamper.questions.javascript import (
    read_common_questions,
    read_module_questions,
    read_typed_questions,
)
from goalkeeper.tamper.questions.model import AskingProgram, QuestionSheet, ReadText
from goalkeeper.tamper.questions.python import read_python_questions
from goalkeeper.tamper.questions.python_program import write_python_program
from goalkeeper.tamper.questions.script.program import write_common_program, write_module_program
from goalkeeper.tamper.questions.sh.program import write_shell_program
from goalkeeper.tamper.questions.shell import is_shell_test, read_shell_questions
from goalkeeper.tamper.source import is_python, is_script
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.value import Value


class ProgramWriter(Protocol):
    def __call__(
        self,
        sheets: Sequence[QuestionSheet],
        nonce: str,
        *,
        name: str,
        folder: str,
        python: str,
        kept: Sequence[str],
        around: Sequence[Surrounding] = (),
    ) -> AskingProgram:
        """Write the program that asks; with a `folder` it is a test there, which a runner runs.

        Only the names that are `kept` are left of the environment where nothing tells of a test.
        Where something `around` is another, only the tests' own calls are made.
        """


class QuestionLanguage(Value):
    is_written_in: Callable[[str], bool]
    read: Callable[[str, str, Chooser, ReadText], QuestionSheet | None]
    write: ProgramWriter
    is_asked_bare: bool = False  # programs of it are also started by what sets no variables
    around: Sequence[Surrounding] = SURROUNDINGS  # what can be another for its programs


LANGUAGES = (
    QuestionLanguage(is_python, read_python_questions, write_python_program),
    QuestionLanguage(is_script, read_module_questions, write_module_program),
    QuestionLanguage(is_script, read_typed_questions, write_module_program),
    QuestionLanguage(is_script, read_common_questions, write_common_program),
    QuestionLanguage(
        is_shell_test,
        read_shell_questions,
        write_shell_program,
        is_asked_bare=True,
        around=SURROUNDINGS_OF_SHELL,
    ),
)
