"""Questions of a test file, asked by the program that is written for them."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from goalkeeper.tamper.questions.languages import LANGUAGES
from goalkeeper.tamper.questions.model import (
    USUAL_NAMES,
    Answer,
    AnswerLines,
    QuestionSheet,
    choose_answers,
    read_answers,
    read_nothing,
)
from goalkeeper.tamper.spoiling.values import Chooser

NONCE = "nobodyknowsthisword"


def read_sheet(path: str, text: str, seed: str = "one") -> QuestionSheet | None:
    """Return what the one language that knows the file reads of it."""
    found = [
        sheet
        for each in LANGUAGES
        if each.is_written_in(path)
        and (sheet := each.read(text, path, Chooser(seed, path), read_nothing))
    ]
    assert len(found) <= 1
    return found[0] if found else None


def ask(tree: Path, path: str, *, folder: str = "") -> AnswerLines:
    """Write the program for a test file into a tree, and run it there."""
    text = (tree / path).read_text()
    for language in LANGUAGES:
        sheet = language.read(text, path, Chooser("one", path), read_nothing)
        if not language.is_written_in(path) or sheet is None:
            continue
        program = language.write(
            [sheet], NONCE, name="anything", folder=folder, python="python3", kept=USUAL_NAMES
        )
        (tree / program.path).write_text(program.text)
        environ = {"PATH": os.environ["PATH"], "HOME": str(tree)}
        ran = subprocess.run(
            program.argv, cwd=tree, env=environ, capture_output=True, text=True, check=False
        )
        (tree / program.path).unlink()
        return read_answers(ran.stdout, NONCE)
    raise AssertionError(f"{path} has no questions")


def tell_wrong(
    sheet: QuestionSheet, told: AnswerLines
) -> Mapping[str, tuple[Answer | None, Answer | None]]:
    """Return the calls whose answer is not the expected one, with both."""
    answers = choose_answers(told, expected=False)
    expected = choose_answers(told, expected=True)
    pairs = {
        question.call: (answers.get((n, 0)), expected.get((n, 0)))
        for n, question in enumerate(sheet.questions)
        if question.expected
    }
    return {
        call: (given, wanted)
        for call, (given, wanted) in pairs.items()
        if given is None or wanted is None or given.text != wanted.text
    }
