"""Writes the program that asks questions of shell.

The product is loaded only where a command is substituted: it cannot bend what prints the answer.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.questions.around import Surrounding, put_in_order, write_steps
from goalkeeper.tamper.questions.model import (
    USUAL_NAMES,
    AskingProgram,
    Question,
    QuestionSheet,
)
from goalkeeper.tamper.questions.sh.places import quote

APART = "ask_apart_"  # it runs the words behind it in a process that has loaded the product
BASH = "# bash"  # it stands first in the head of a sheet that needs it
_MOST_SECONDS = 60  # a busy machine needs so long for what takes two
_START = """\
began=$(date +%s)
find_caller() {
  for file in * */*; do
    case $file in *test*|*spec*) continue ;; esac
    [ -f "$file" ] && [ -x "$file" ] || continue
    for each do
      [ "$file" != "$each" ] && grep -q "^[^#]*${each##*/}" "$file" && echo "$file" && return
    done
  done
  echo "$0"
}
tell() {
  printf '%s\\n' "NONCE $1 $2 $3" "$4" "NONCE."
}
is_late() {
  [ $(($(date +%s) - began)) -gt SECONDS ]
}
{
"""
_BARE = """\
for word in $(env | sed -n 's/^\\([A-Za-z_][A-Za-z_0-9]*\\)=.*/\\1/p'); do
  case " KEPT " in *" $word "*) ;; *) unset "$word" 2>/dev/null ;; esac
done
"""
_END = r"""} | awk '
index($0, "NONCE ") == 1 { head = $0; text = ""; count = 0; next }
$0 == "NONCE." { print ""; print head " \"" text "\""; fflush(); next }
{
  gsub(/[\\"]/, "\\\\&")
  gsub(/\t/, "\\t")
  gsub(/\r/, "\\r")
  gsub(/[[:cntrl:]]/, "?")
  text = text (count++ ? "\\n" : "") $0
}'
"""
_SIGNS = (
    "CI=true", "npm_lifecycle_event=test", "BATS_VERSION=1.10.0", "BATS_TEST_NUMBER=1",
    "BATS_TEST_NAME=test", "TAP_VERSION=13", "HARNESS_ACTIVE=1",
)  # fmt: skip
# A real make where there is one: its variables, and it is the parent.
_LAUNCH = """\
if command -v make >/dev/null; then
  exec make -s -f /dev/null --eval "asked:;@$*" asked
fi
MAKELEVEL=1 MAKEFLAGS=s exec "$@"
"""


def write_shell_program(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    *,
    name: str,
    folder: str = "",
    python: str,  # noqa: ARG001  others need it
    kept: Sequence[str] = USUAL_NAMES,
    around: Sequence[Surrounding] = (),
) -> AskingProgram:
    """Write the program; with a `folder` it is a test there, which make runs."""
    shell = "bash" if any(BASH in sheet.head for sheet in sheets) else "sh"
    text = "".join(_write(sheets, nonce, around, is_watched=bool(folder)))
    if not folder:
        start = write_steps(around, "shell") + _BARE.replace("KEPT", " ".join(kept))
        return AskingProgram(f"{name}.sh", start + text, (shell, f"{name}.sh"))
    path = posixpath.normpath(f"{folder}/test_{name}.sh")
    words = (shell, path, *(sheet.path for sheet in sheets if sheet.questions))
    plain = [word for word in words if not set(word) & set(" $#'\"\\:;*?")]
    return AskingProgram(path, text, ("env", *_SIGNS, "sh", "-c", _LAUNCH, "sh", *plain))


def _write(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    around: Sequence[Surrounding],
    *,
    is_watched: bool,
) -> Iterator[str]:
    yield _START.replace("NONCE", nonce).replace("SECONDS", str(_MOST_SECONDS))
    numbered: list[tuple[int, int, Question]] = []
    for place, sheet in enumerate(sheets):
        first = len(numbered)
        numbered += [(n, place, q) for n, q in enumerate(sheet.questions, start=first)]
    yield from (f"tell {n} 0 expected {each.expected}\n" for n, _, each in numbered)
    shared = [line for sheet in sheets if not sheet.questions for line in sheet.head]
    for place, sheet in enumerate(sheets):
        head = [*dict.fromkeys((*shared, *sheet.head))]
        kept = [line for line in head if is_watched or not _is_of_tests(line)]
        yield _write_function(f"load_{place}", [*kept, *(own for own, _ in sheet.functions)])
        yield _write_apart(place, sheet, kept)
    pairs = [(each, each[2]) for each in numbered]
    for number, place, question in put_in_order(around, pairs):
        yield _write_call(number, 0, place, question, is_apart=not is_watched)
    for number, place, question in numbered if not is_watched and not around else ():
        yield "is_late && tell 0 0 end && exit\n"
        for other, call in enumerate(question.list_other_calls(), start=1):
            each = question.replace(call=call, apart=call if question.apart else "")
            yield _write_call(number, other, place, each, is_apart=True)
    yield "tell 0 0 end\n"
    yield _END.replace("NONCE", nonce)


def _is_of_tests(line: str) -> bool:
    """Return whether a line sources a file of the tests."""
    place = line.removeprefix(". ").strip("'")
    return line.startswith(". ") and is_test(posixpath.normpath(place))


def _write_function(name: str, lines: Sequence[str]) -> str:
    return f"{name}() {{\n" + "\n".join((":", *lines)) + "\n}\n"


def _write_apart(place: int, sheet: QuestionSheet, head: Sequence[str]) -> str:
    """Write what makes a process of its own for the product, called as by its own program.

    Tools in the pipes of the test are then none of the product's.
    """
    shell = "bash" if BASH in head else "sh"
    loaded = [line for line in head if line.startswith(". ")]
    names = [line for line in head if not line.startswith(". ")]
    files = " ".join(line.removeprefix(". ") for line in loaded)
    text = quote(_write_function("load", head) + 'load\n"$@"')
    ask = f'{APART}() {{\n{shell} -c {text} "$caller_{place}" "$@"\n}}'
    functions = [apart for _, apart in sheet.functions]
    return f"caller_{place}=$(find_caller {files})\n" + _write_function(
        f"apart_{place}", [*names, ask, *functions]
    )


def _write_call(number: int, input_: int, place: int, question: Question, *, is_apart: bool) -> str:
    # What is defined beside the tests alone is not there without them, and nobody's fault.
    is_apart = is_apart and bool(question.apart)
    call = question.apart if is_apart else question.call
    load = f'{"apart" if is_apart else "load"}_{place} "$@"'
    return (
        f"answer=$(\n{load}\n{call}\n) </dev/null 2>/dev/null\nkind=value\n"
        f'[ "$answer" ] || case $( (\n{load}\n{call}\n) </dev/null 2>&1 >/dev/null) in\n'
        '*"not found"*) kind=absent ;;\nesac\n'
        f'tell {number} {input_} $kind "$answer"\n'
    )
