"""Writes the programs that ask questions of JavaScript and TypeScript."""

from __future__ import annotations

import json
import posixpath
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
from goalkeeper.tamper.questions.script.modules import ROOT, is_typed
from goalkeeper.tamper.questions.script.texts import ASKED_AROUND, KEPT_ONLY, PLAIN, START, WATCHED
from goalkeeper.tamper.questions.script.words import list_words

_SIGNS = (
    "NODE_ENV=test", "VITEST=true", "VITEST_MODE=RUN", "VITEST_POOL_ID=1", "VITEST_WORKER_ID=1",
    "TEST=true", "JEST_WORKER_ID=1", "MOCHA_COLORS=0", "npm_lifecycle_event=test",
    "npm_command=run-script", "npm_execpath=npm", "npm_node_execpath=node",
    "npm_lifecycle_script=node --test", "npm_config_user_agent=npm", "INIT_CWD=.",
)  # fmt: skip
# The same loader runs the program with and without signs of a test. That of vitest has a
# configuration of its own; what it cannot load is said, and held against nobody.
_LAUNCH = """\
bin=node_modules/.bin
if [ -x $bin/vitest ] && [ -x $bin/vite-node ]; then
  [ "$2" ] && cp "$1" "$3" && exec $bin/vitest run --pool=threads "$3"
  for config in vitest.config.* vite.config.*; do
    [ -f "$config" ] && exec $bin/vite-node --config "$config" "$1"
  done
  exec $bin/vite-node "$1"
fi
case $1 in *.*ts) [ -x $bin/tsx ] && exec $bin/tsx $2 "$1" ;; esac
exec node $2 "$1"
"""
_SHORT_SECONDS = 0.05  # to be watched makes a call hardly longer
_RUNNER = "--test --test-reporter=spec"


def write_module_program(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    *,
    name: str,
    folder: str = "",
    python: str,  # noqa: ARG001  others need it
    kept: Sequence[str] = USUAL_NAMES,
    around: Sequence[Surrounding] = (),
) -> AskingProgram:
    """Write the program as a module; with a `folder` it is a test there, which a runner runs."""
    ending = "mts" if any(is_typed(sheet.path) for sheet in sheets) else "mjs"
    if folder and all(sheet.path.endswith(".js") for sheet in sheets):
        ending = "js"  # as a test is named here
    first = 'import { mkdirSync, writeSync } from "node:fs";\n'
    first += 'import { Session } from "node:inspector";\n'
    first += 'import { createContext, Script } from "node:vm";\n'
    first += 'import assert from "node:assert";\n'
    first += "const own = import.meta.url;\n"
    first += f"const KEPT = {json.dumps([*kept])};\n"
    path, text = _write(sheets, nonce, around, first, name=name, ending=ending, folder=folder)
    own = sheets[0].path.rpartition("/")[2].partition(".")[2]  # what vitest is told to look for
    alike = posixpath.normpath(f"{folder}/{name}-.{own}")
    launch = ("sh", "-c", _LAUNCH, "sh", path, *((_RUNNER, alike) if folder else ("",)))
    return AskingProgram(path, text, ("env", *_SIGNS, *launch) if folder else launch)


def write_common_program(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    *,
    name: str,
    folder: str = "",
    python: str,  # noqa: ARG001  others need it
    kept: Sequence[str] = USUAL_NAMES,
    around: Sequence[Surrounding] = (),
) -> AskingProgram:
    """Write the program for files that use `require`."""
    first = 'const { mkdirSync, writeSync } = require("node:fs");\n'
    first += 'const { createContext, Script } = require("node:vm");\n'
    first += 'const assert = require("node:assert");\n'
    first += 'const { Session } = require("node:inspector"), own = "file://" + __filename;\n'
    first += f"const KEPT = {json.dumps([*kept])};\n"
    path, text = _write(sheets, nonce, around, first, name=name, ending="cjs", folder=folder)
    runner = _RUNNER.split() if folder else ()
    signs = ("env", *_SIGNS) if folder else ()
    return AskingProgram(path, text, (*signs, "node", *runner, path))


def _write(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    around: Sequence[Surrounding],
    first: str,
    *,
    name: str,
    ending: str,
    folder: str,
) -> tuple[str, str]:
    path = posixpath.normpath(f"{folder}/{name}.test.{ending}") if folder else f"{name}.{ending}"
    depth = path.count("/")
    number = 0
    written, expected = [], []
    refused: list[int] = []
    for sheet in sheets:
        numbered = list(enumerate(sheet.questions, start=number))
        number += len(numbered)
        expected += [f"  [{n}, () => ({q.expected})],\n" for n, q in numbered if q.expected]
        refused += [n for n, q in numbered if q.is_refused]
        is_own = bool(folder or around)
        written.append(_write_sheet(sheet, numbered, root="../" * depth or "./", own=is_own))
    limits = {
        "LEAST": LEAST_SECONDS,
        "MOST": MOST_SECONDS,
        "LATE": LATE_SECONDS,
        "LATE_WALK": LATE_WALK_SECONDS,
        "ENDLESS": ENDLESS_SECONDS,
        "SHARE": SHARE_SECONDS,
        "SHORT": _SHORT_SECONDS,
        "ENOUGH": WALKING_SECONDS,
        "AROUND": AROUND_SECONDS,
        "WAITING": AROUND_WAITING,
    }
    given = "".join(f"const {word} = {each * 1000:.0f};\n" for word, each in limits.items())
    text = (
        f"{given}const LATER = {LATER}, TURNS = {AROUND_TURNS};\n"
        f"const FEW = {LEAST_NEIGHBOURS}, TELLING = {LEAST_TELLING};\n"
        f"{first}const NONCE = {json.dumps(nonce)};\n"
        f"const REFUSED = {refused};\n"
        f"const EXPECTED = [\n{''.join(expected)}];\n"
        f"const SHEETS = [\n{''.join(written)}];\n{START}"
    )
    words = f"const WORDS = {json.dumps(sorted(list_words('runners')))};\n"
    register = "register();\n" if ending == "cjs" else "await register();\n"
    # Most tests load it; a product may look whether somebody has.
    load = "require" if ending == "cjs" else "await import"
    words = f'{load}("node:assert/strict");\n{words}'
    watched = words + WATCHED.replace("TITLE", name) + register
    if around:
        questions = [each for sheet in sheets for each in sheet.questions]
        order = json.dumps(put_in_order(around, list(enumerate(questions))))
        order = f"const ORDER = {order};\n"
        return path, text + write_steps(around, "script") + KEPT_ONLY + order + ASKED_AROUND
    return path, text + (watched if folder else KEPT_ONLY + PLAIN)


def _write_sheet(
    sheet: QuestionSheet, questions: Sequence[tuple[int, Question]], *, root: str, own: bool
) -> str:
    """Write a function that loads what a sheet names, and returns its calls."""
    pairs = [
        (number, place, call)
        for number, question in questions
        for place, call in enumerate((question.call, *(() if own else question.list_other_calls())))
    ]
    groups = {number: _write_groups(question) for number, question in questions}
    head = " ".join(sheet.head).replace(f'"{ROOT}', f'"{root}')
    calls = "".join(
        f"    [{n}, {place}, async () => ({call}){'' if place or own else groups[n]}],\n"
        for n, place, call in pairs
    )
    absent = "".join(f"[{n}, {place}], " for n, place, _ in pairs)
    return (
        f"  async () => {{\n    try {{ {head} }} catch {{ return [{absent}]; }}\n"
        f"    return [\n{calls}    ];\n  }},\n"
    )


def _write_groups(question: Question) -> str:
    groups = ", ".join(f"[{_write_calls(group)}]" for group in question.walked)
    shifted = _write_calls(question.shifted)
    played = int(question.is_played)
    return f", [{groups}], [{shifted}], {played}" if question.walked else ""


def _write_calls(calls: Sequence[str]) -> str:
    return ", ".join(f"async () => ({call})" for call in calls)
