"""Writes the program that asks the questions of Python tests."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.tamper.questions.model import (
    LEAST_SECONDS,
    USUAL_NAMES,
    AskingProgram,
    QuestionSheet,
)

# All names have a prefix of their own, because what is loaded may have any name.
_START = """\
import ast as ASK9_ast
import json as ASK9_json
import os as ASK9_os
import sys as ASK9_sys
import time as ASK9_time

ASK9_clock = ASK9_time.process_time
ASK9_say = ASK9_sys.stdout.write
ASK9_show = ASK9_json.dumps


def ASK9_tell(number, place, kind, value):
    ASK9_say("\\n%s %d %d %s %s\\n" % (ASK9_NONCE, number, place, kind, ASK9_show(value)))


def ASK9_describe(value):
    return "%s %.2000r" % (type(value).__name__, value)


def ASK9_tell_expected(names):
    for number, text in ASK9_EXPECTED[:]:
        try:
            ASK9_WANTED[number] = eval(text, dict(names))
            ASK9_tell(number, 0, "expected", ASK9_describe(ASK9_WANTED[number]))
        except Exception:  # not loaded yet, or in a file of the tests that is not there
            continue
        ASK9_EXPECTED.remove((number, text))


def ASK9_play(text):
    steps = ASK9_ast.parse(text).body
    names, last = dict(globals()), ASK9_ast.Expression(steps.pop().value)
    exec(compile(ASK9_ast.Module(steps, []), __file__, "exec"), names)
    return eval(compile(last, __file__, "eval"), names)


def ASK9_compare(number, value):
    # It may be equal to the expected value only because its own class says so.
    wanted, kind = ASK9_WANTED[number], type(value)
    top = kind.__module__.partition(".")[0]
    is_own = hasattr(kind.__eq__, "__code__") and top not in ASK9_sys.stdlib_module_names
    if is_own and ASK9_describe(value) != ASK9_describe(wanted) and value == wanted:
        ASK9_tell(number, 0, "equal", ASK9_describe(wanted))


def ASK9_ask():
    began = ended = ASK9_clock()
    for number, place, put in ASK9_CALLS:
        if place and ASK9_clock() > ended + max(LEAST, (ended - began) / 4):
            break
        try:
            value = put()
            ASK9_tell(number, place, "value", ASK9_describe(value))
        except BaseException as error:
            ASK9_tell(number, place, "error", type(error).__name__)
        else:
            if not place and number in ASK9_WANTED:
                ASK9_compare(number, value)
        ended = ended if place else ASK9_clock()


ASK9_WANTED = {}
ASK9_tell_expected({})
ASK9_sys.path[:0] = ASK9_PLACES
""".replace("LEAST", str(LEAST_SECONDS))
_SAY = "ASK9_say = ASK9_sys.stdout.write\n"
_KEEP = "ASK9_said = []\nASK9_say = ASK9_said.append\n"
# Where nothing should tell of a test, hardly anything tells of anything.
_BARE = """\
for ASK9_word in [word for word in ASK9_os.environ if word not in ASK9_KEPT]:
    del ASK9_os.environ[ASK9_word]
# Tests have an input that is no pipe; other programs may.
ASK9_read, ASK9_write = ASK9_os.pipe()
ASK9_os.dup2(ASK9_read, 0)
ASK9_os.close(ASK9_read)
ASK9_os.close(ASK9_write)
"""


def write_python_program(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    *,
    name: str,
    folder: str = "",
    python: str,
    kept: Sequence[str] = USUAL_NAMES,
) -> AskingProgram:
    """Write the program; with a `folder` it is a test there, which a runner runs."""
    questions = [question for sheet in sheets for question in sheet.questions]
    calls = [
        (number, place, f"ASK9_play({call!r})" if question.is_played else call)
        for number, question in enumerate(questions)
        for place, call in enumerate(
            (question.call, *(() if folder else question.list_other_calls()))
        )
    ]
    calls.sort(key=lambda each: each[1])
    places = dict.fromkeys(
        place for sheet in sheets for place in (".", "src", sheet.path.rpartition("/")[0] or ".")
    )
    given = {
        "NONCE": nonce,
        "KEPT": [*kept],
        "EXPECTED": [(n, put.expected) for n, put in enumerate(questions) if put.expected],
        "PLACES": list(places),
    }
    start = "".join(f"ASK9_{word} = {value!r}\n" for word, value in given.items()) + _START
    head = dict.fromkeys(line for sheet in sheets for line in sheet.head)
    loading = "".join(f"try:\n    {line}\nexcept Exception:\n    pass\n" for line in head)
    # They stand in the program itself: who is called can look at the module of the caller.
    asking = "".join(f"    ({n}, {place}, lambda: {call}),\n" for n, place, call in calls)
    text = f"{loading}ASK9_tell_expected(globals())\nASK9_CALLS = [\n{asking}]\n"
    if not folder:
        own = name.rpartition("/")[2]
        # It lies at the top: in a package, modules of it would hide those of the language.
        called = f"ASK9_sys.argv[0] = {name + '.py'!r}\n"
        whole = f"{start}{called}{_BARE}{text}ASK9_ask()\n".replace("ASK9_", f"{own}_")
        return AskingProgram(f"{own}.py", whole, (python, f"{own}.py"))
    path = f"{folder}/test_{name}.py".removeprefix("./")
    # What a test prints is shown at the end: its standard streams are the runner's, as they are.
    argv = (python, "-m", "pytest", "-q", "-rP", "-p", "no:cacheprovider", path)
    start = start.replace(_SAY, _KEEP)
    body = ("ASK9_ask()", "print(''.join(ASK9_said))", "assert ASK9_CALLS")
    test = f"def test_{name}():\n" + "".join(f"    {line}\n" for line in body)
    return AskingProgram(path, f"{start}{text}{test}".replace("ASK9_", f"{name}_"), argv)
