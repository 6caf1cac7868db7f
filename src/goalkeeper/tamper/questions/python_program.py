"""Writes the program that asks the questions of Python tests."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.tamper.questions.around import (
    AROUND_SECONDS,
    AROUND_TURNS,
    AROUND_WAITING,
    Surrounding,
    put_in_order,
    write_steps,
)
from goalkeeper.tamper.questions.model import (
    ENDLESS_SECONDS,
    LATE_SECONDS,
    LATE_WALK_SECONDS,
    LATER,
    LEAST_NEIGHBOURS,
    LEAST_SECONDS,
    LEAST_TELLING,
    MOST_SECONDS,
    SHARE_SECONDS,
    USUAL_NAMES,
    WALKING_SECONDS,
    AskingProgram,
    Question,
    QuestionSheet,
)
from goalkeeper.tamper.questions.python_walks import WALKING

# All names have a prefix of their own, because what is loaded may have any name.
_START = """\
import ast as ASK9_ast
import json as ASK9_json
import os as ASK9_os
import re as ASK9_re
import signal as ASK9_signal
import sys as ASK9_sys
import time as ASK9_time

ASK9_FILE = __file__
ASK9_clock = ASK9_time.perf_counter
# What programs take is most often their start, and says little.
ASK9_spend = lambda: ASK9_time.process_time() + sum(ASK9_os.times()[2:4]) / 4
ASK9_write, ASK9_OUT = ASK9_os.write, ASK9_os.dup(1)
ASK9_say = lambda text: ASK9_write(ASK9_OUT, text.encode())
ASK9_show = ASK9_json.dumps
ASK9_watch, ASK9_watched = ASK9_sys.settrace, ASK9_sys.gettrace
ASK9_FOREIGN = (ASK9_os.path.dirname(ASK9_os.__file__), ASK9_sys.prefix, "<frozen", ASK9_FILE)
ASK9_HERE = ASK9_os.getcwd() + "/"
ASK9_TOOK, ASK9_WORKED, ASK9_SAID, ASK9_GAVE = {}, {}, {}, {}
ASK9_SHY, ASK9_FICKLE, ASK9_LOST, ASK9_UNDO = set(), set(), [], []
ASK9_BUILT = __builtins__ if type(__builtins__) is dict else vars(__builtins__)
ASK9_OWN = {word: each for word, each in ASK9_BUILT.items() if callable(each)}


def ASK9_tell(number, place, kind, value):
    ASK9_say("\\n%s %d %d %s %s\\n" % (ASK9_NONCE, number, place, kind, ASK9_show(value)))


def ASK9_show_all(values):
    return [ASK9_write_out(each) for each in values]


def ASK9_write_out(value):
    # What is equal looks the same: sets and dictionaries have any order.
    kind = type(value)
    if kind is list or kind is tuple:
        inner = ", ".join(ASK9_show_all(value))
        return "[%s]" % inner if kind is list else "(%s%s)" % (inner, "," * (len(value) == 1))
    if value and (kind is set or kind is frozenset):
        inner = "{%s}" % ", ".join(sorted(ASK9_show_all(value)))
        return inner if kind is set else "frozenset(%s)" % inner
    if kind is dict:
        pairs = zip(ASK9_show_all(value), ASK9_show_all(value.values()))
        return "{%s}" % ", ".join(sorted("%s: %s" % pair for pair in pairs))
    return repr(value)


def ASK9_describe(value):
    return "%s %.2000s" % (type(value).__name__, ASK9_write_out(value))


def ASK9_tell_end():
    for word, each in ASK9_OWN.items():
        if ASK9_BUILT.get(word) is not each:
            ASK9_tell(0, 0, "replaced", word)
    ASK9_tell(0, 0, "end", "")


def ASK9_tell_expected(names):
    for number in ASK9_REFUSED if not names else ():
        ASK9_tell(number, 0, "refused", "")
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
    try:
        exec(compile(ASK9_ast.Module(steps, []), ASK9_FILE, "exec"), names)
        return eval(compile(last, ASK9_FILE, "eval"), names)
    finally:
        while ASK9_UNDO:
            ASK9_UNDO.pop()()


def ASK9_list_numbers(value):
    said = ASK9_re.sub("at 0x[0-9A-Fa-f]+", "", ASK9_describe(value))
    return sorted(ASK9_re.findall(r"\\d+(?:\\.\\d+)?", said))


def ASK9_is_own(value):
    if type(value) in (list, tuple, set, frozenset):
        return any(map(ASK9_is_own, value))
    if type(value) is dict:
        return any(map(ASK9_is_own, value.values()))
    code = getattr(type(value).__eq__, "__code__", None)
    return code is not None and not code.co_filename.startswith(ASK9_FOREIGN)


def ASK9_compare(number, value):
    # With other numbers, or as a text or list that has something else in it, it may be equal to
    # the expected value because its own class says so.
    wanted = ASK9_WANTED[number]
    is_other = ASK9_list_numbers(value) != ASK9_list_numbers(wanted)
    base = type(wanted)
    if base in (str, list, tuple, dict) and isinstance(value, base):
        is_other = is_other or not base.__eq__(value, wanted)
    if is_other and ASK9_is_own(value) and value == wanted:
        ASK9_tell(number, 0, "equal", ASK9_describe(wanted))


class ASK9_Late(BaseException):
    pass


def ASK9_stop(*_):
    raise ASK9_Late


def ASK9_limit(number, put, least):
    least = max(least, min(ASK9_MOST, ASK9_LATER * ASK9_TOOK[number]))
    ASK9_signal.setitimer(ASK9_signal.ITIMER_REAL, least)
    try:
        return put()
    finally:
        ASK9_signal.setitimer(ASK9_signal.ITIMER_REAL, 0)


def ASK9_try(number, place, put):
    began = ASK9_spend()
    try:
        value = ASK9_limit(number, put, ASK9_LATE) if place else put()
        ASK9_tell(number, place, "value", ASK9_describe(value))
        if not place:
            ASK9_SAID[number] = ASK9_describe(value)
        if not place and number in ASK9_WANTED:
            ASK9_compare(number, value)
    except ASK9_Late:
        return ASK9_LATE
    except BaseException as error:
        ASK9_tell(number, place, "error", type(error).__name__)
    return ASK9_spend() - began


def ASK9_ask():
    ASK9_signal.signal(ASK9_signal.SIGALRM, ASK9_stop)
    spent, tried = {}, {}
    for number, place, put in ASK9_CALLS:
        if not place:
            began = ASK9_clock()
            ASK9_WORKED[number] = ASK9_try(number, place, put)
            ASK9_TOOK[number] = ASK9_clock() - began  # it may wait for other programs
    ASK9_tell(0, 0, "asked", "")
    began, left = ASK9_clock(), max(ASK9_LEAST, sum(ASK9_WORKED.values()) / 4)
    for number, place, put in ASK9_CALLS:
        is_over = ASK9_clock() > began + ASK9_MOST
        if sum(spent.values()) > left:  # what is slow for all but its tests is asked some more
            is_known = sum(count >= ASK9_FEW for count in tried.values()) >= ASK9_TELLING
            is_over = is_over or is_known or ASK9_WORKED[number] > ASK9_SHORT
        if place and not is_over and spent.setdefault(number, 0) < ASK9_SHARE:
            spent[number] += ASK9_try(number, place, put)
            tried[number] = tried.get(number, 0) + 1
"""
_READY = """\
ASK9_WANTED = {}
ASK9_tell_expected({})
ASK9_sys.path[:0] = ASK9_PLACES
"""
_SHORT_SECONDS = 0.005  # to be watched makes a call many times longer
_SAY = "ASK9_say = lambda text: ASK9_write(ASK9_OUT, text.encode())\n"
_KEEP = "ASK9_said = []\nASK9_say = ASK9_said.append\n"
_ALONE = "import sys as ASK9_sys\ndel ASK9_sys.path[0]\n"  # the product's modules come later
_ASK_AROUND = """\
ASK9_began, ASK9_first, ASK9_quick = ASK9_spend(), ASK9_clock(), []
for ASK9_call in ASK9_CALLS:
    ASK9_at = ASK9_clock()
    if ASK9_spend() < ASK9_began + ASK9_AROUND and ASK9_at < ASK9_first + ASK9_WAITING:
        ASK9_try(*ASK9_call)
        ASK9_quick += [ASK9_call] * (ASK9_clock() < ASK9_at + ASK9_LATE_WALK)
ASK9_began = ASK9_spend()
for ASK9_call in ASK9_quick * ASK9_TURNS:
    if ASK9_spend() < ASK9_began + ASK9_AROUND:
        ASK9_try(*ASK9_call)
ASK9_tell_end()
"""
_ASK = "ASK9_ask()\nASK9_walk_all()\nASK9_tell_end()\n"
# Where nothing should tell of a test, hardly anything tells of anything.
_BARE = """\
# Who is called may look at what is loaded: runners load these, and few products do.
for ASK9_word in ("ast", "json"):
    ASK9_sys.modules.pop(ASK9_word, None)
for ASK9_word in [word for word in ASK9_os.environ if word not in ASK9_KEPT]:
    del ASK9_os.environ[ASK9_word]
# Tests have an input that is no pipe; other programs may.
ASK9_ends = ASK9_os.pipe()
ASK9_os.dup2(ASK9_ends[0], 0)
for ASK9_end in ASK9_ends:
    ASK9_os.close(ASK9_end)
ASK9_os.dup2(ASK9_os.open(ASK9_os.devnull, ASK9_os.O_WRONLY), 1)
"""


def write_python_program(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    *,
    name: str,
    folder: str = "",
    python: str,
    kept: Sequence[str] = USUAL_NAMES,
    around: Sequence[Surrounding] = (),
) -> AskingProgram:
    """Write the program; with a `folder` it is a test there, which a runner runs."""
    questions = [question for sheet in sheets for question in sheet.questions]
    calls = [
        (number, place, _write_call(question, call))
        for number, question in enumerate(questions)
        for place, call in enumerate(
            (question.call, *(() if folder or around else question.list_other_calls()))
        )
    ]
    calls.sort(key=lambda each: (_find_turn(questions[each[0]], each[1]), each[0]))
    if around:
        calls = put_in_order(around, [(each, questions[each[0]]) for each in calls])
    walks = [
        f"    ({n}, {_write_call(put, put.call)}, [\n{_write_groups(put)}    ], "
        f"[{_write_calls(put, put.shifted)}]),\n"
        for n, put in sorted(enumerate(questions), key=lambda each: each[1].is_played)
        if put.walked and not folder and not around
    ]
    places = dict.fromkeys(
        place for sheet in sheets for place in (".", "src", sheet.path.rpartition("/")[0] or ".")
    )
    given = {
        "NONCE": nonce,
        "KEPT": [*kept],
        "EXPECTED": [(n, put.expected) for n, put in enumerate(questions) if put.expected],
        "REFUSED": [n for n, put in enumerate(questions) if put.is_refused],
        "PLACES": list(places),
        "LEAST": LEAST_SECONDS,
        "MOST": MOST_SECONDS,
        "LATE": LATE_SECONDS,
        "LATE_WALK": LATE_WALK_SECONDS,
        "ENDLESS": ENDLESS_SECONDS,
        "LATER": LATER,
        "SHARE": SHARE_SECONDS,
        "FEW": LEAST_NEIGHBOURS,
        "TELLING": LEAST_TELLING,
        "SHORT": _SHORT_SECONDS,
        "ENOUGH": WALKING_SECONDS,
        "AROUND": AROUND_SECONDS,
        "WAITING": AROUND_WAITING,
        "TURNS": AROUND_TURNS,
    }
    start = "".join(f"ASK9_{word} = {value!r}\n" for word, value in given.items())
    start += f"{_START}\n\n{WALKING}\n\n{_READY}"
    head = dict.fromkeys(line for sheet in sheets for line in sheet.head)
    loading = "".join(f"try:\n    {line}\nexcept Exception:\n    pass\n" for line in head)
    # They stand in the program itself: who is called can look at the module of the caller.
    asking = "".join(f"    ({n}, {place}, {call}),\n" for n, place, call in calls)
    text = f"{loading}ASK9_tell_expected(globals())\nASK9_CALLS = [\n{asking}]\n"
    text += f"ASK9_WALKS = [\n{''.join(walks)}]\n"
    if not folder:
        own = name.rpartition("/")[2]
        # It lies at the top: in a package, modules of it would hide those of the language.
        called = f"ASK9_sys.argv[0] = {name + '.py'!r}\n"
        steps, ask = write_steps(around, "python"), _ASK_AROUND if around else _ASK
        whole = f"{_ALONE}{start}{called}{steps}{_BARE}{text}{ask}".replace("ASK9_", f"{own}_")
        return AskingProgram(f"{own}.py", whole, (python, f"{own}.py"))
    path = f"{folder}/test_{name}.py".removeprefix("./")
    # What a test prints is shown at the end: its standard streams are the runner's, as they are.
    argv = (python, "-m", "pytest", "-q", "-rP", "-p", "no:cacheprovider", path)
    start = start.replace(_SAY, _KEEP)
    body = ("ASK9_ask()", "print(''.join(ASK9_said))", "assert ASK9_CALLS")
    test = f"def test_{name}():\n" + "".join(f"    {line}\n" for line in body)
    return AskingProgram(path, f"{start}{text}{test}".replace("ASK9_", f"{name}_"), argv)


def _find_turn(question: Question, place: int) -> int:
    """Return when a call is asked: with the first neighbours what clears a quick one of them."""
    is_renamed = 0 <= place - question.first_renamed < len(question.renamed)
    return 1 if is_renamed and not question.is_played else -(-place // LEAST_NEIGHBOURS)


def _write_call(question: Question, call: str) -> str:
    return f"lambda: ASK9_play({call!r})" if question.is_played else f"lambda: {call}"


def _write_groups(question: Question) -> str:
    return "".join(f"        [{_write_calls(question, group)}],\n" for group in question.walked)


def _write_calls(question: Question, calls: Sequence[str]) -> str:
    return "".join(f"{_write_call(question, call)}, " for call in calls)
