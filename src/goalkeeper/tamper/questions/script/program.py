"""Writes the programs that ask questions of JavaScript and TypeScript."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Sequence

from goalkeeper.tamper.questions.model import (
    LEAST_SECONDS,
    USUAL_NAMES,
    AskingProgram,
    Question,
    QuestionSheet,
)
from goalkeeper.tamper.questions.script.modules import ROOT
from goalkeeper.tamper.questions.script.words import list_words

# What is compared is written in one way, whatever made it: tests do not compare prototypes alike.
_START = """\
const write = writeSync, show = JSON.stringify, keysOf = Object.keys, isArray = Array.isArray;
const listOf = Array.from, tagOf = Function.prototype.call.bind(Object.prototype.toString);
const end = process.exit.bind(process), name = String, bytesOf = Buffer.from.bind(Buffer);
const cpu = process.cpuUsage.bind(process);
const wait = Atomics.wait, idle = new Int32Array(new SharedArrayBuffer(4));

function spend() {
  const { user, system } = cpu();
  return user + system;
}

function put(data) {
  for (let done = 0; done < data.length; ) {
    try {
      done += write(1, data, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      wait(idle, 0, 0, 5);
    }
  }
}

function tell(number, place, kind, value) {
  const said = NONCE + " " + number + " " + place + " " + kind + " " + show(value);
  put(bytesOf("\\n" + said + "\\n"));
}

function describe(value, around) {
  if (typeof value === "string") return show(value);
  if (typeof value === "number") return value === 0 ? "0" : name(value);
  if (typeof value === "function") return "function";
  if (typeof value !== "object" || value === null) return typeof value + " " + name(value);
  for (const each of around) if (each === value) return "...";
  const tag = tagOf(value), inner = [...around, value], parts = [];
  if (tag === "[object Date]") return "Date " + value.valueOf();
  if (tag === "[object RegExp]") return name(value);
  if (value instanceof Error) return value.name + " " + value.message;
  let all = isArray(value) || ArrayBuffer.isView(value) ? value : undefined;
  if (tag === "[object Map]" || tag === "[object Set]") all = listOf(value);
  if (all !== undefined) {
    for (let n = 0; n < all.length; n++) parts[n] = describe(all[n], inner);
    if (tag === "[object Map]" || tag === "[object Set]") parts.sort();
    return (isArray(value) ? "" : tag) + "[" + parts.join(", ") + "]";
  }
  for (const key of keysOf(value).sort()) {
    if (value[key] !== undefined) parts[parts.length] = key + ": " + describe(value[key], inner);
  }
  return "{" + parts.join(", ") + "}";
}

function shorten(value) {
  return describe(value, []).slice(0, 2000);
}

for (const [number, make] of EXPECTED) {
  try {
    tell(number, 0, "expected", shorten(make()));
  } catch {}
}
process.exit = () => {
  throw new RangeError("exit");
};

async function load() {
  const asked = [];
  for (const sheet of SHEETS) for (const each of await sheet()) asked[asked.length] = each;
  return asked.sort((one, other) => one[1] - other[1]);
}

async function ask([number, place, call]) {
  if (call === undefined) return tell(number, place, "absent", "");
  try {
    tell(number, place, "value", shorten(await call()));
  } catch (error) {
    tell(number, place, "error", name(error && error.name));
  }
}

"""
# Nobody listens for what goes wrong there: a runner would. Neighbours come last, so that the
# questions themselves have their answers before that.
_PLAIN = """\
for (const word of keysOf(process.env)) if (!KEPT.includes(word)) delete process.env[word];
async function askAll() {
  const asked = await load();
  const began = spend();
  let ended = began;
  for (const each of asked) {
    if (each[1] && spend() > ended + Math.max(LEAST, (ended - began) / 4)) break;
    await ask(each);
    if (!each[1]) ended = spend();
  }
}
askAll().finally(() => end(0));
""".replace("LEAST", str(int(LEAST_SECONDS * 1_000_000)))
# Each question is a test, as deep below the runner as those of the project. What products know a
# runner by is there, also where another one runs it.
_WATCHED = """\
for (const word of WORDS) if (!(word in globalThis)) globalThis[word] = () => {};
const runner = globalThis.__vitest_worker__ ? "vitest" : "node:test";
async function register() {
  const { test } = await import(runner);
  const tests = (await load()).map((each) => test("TITLE", () => ask(each)));
  if (runner !== "vitest") Promise.all(tests).then(() => end(0));
}
"""
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
_RUNNER = "--test --test-reporter=spec"


def write_module_program(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    *,
    name: str,
    folder: str = "",
    python: str,  # noqa: ARG001  others need it
    kept: Sequence[str] = USUAL_NAMES,
) -> AskingProgram:
    """Write the program as a module; with a `folder` it is a test there, which a runner runs."""
    is_typed = any(sheet.path.endswith("ts") for sheet in sheets)
    ending = "mts" if is_typed else "mjs"
    first = 'import { writeSync } from "node:fs";\n'
    first += f"const KEPT = {json.dumps([*kept])};\n"
    path, text = _write(sheets, nonce, first=first, name=name, ending=ending, folder=folder)
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
) -> AskingProgram:
    """Write the program for files that use `require`."""
    first = 'const { writeSync } = require("node:fs");\n'
    first += f"const KEPT = {json.dumps([*kept])};\n"
    path, text = _write(sheets, nonce, first=first, name=name, ending="cjs", folder=folder)
    runner = _RUNNER.split() if folder else ()
    signs = ("env", *_SIGNS) if folder else ()
    return AskingProgram(path, text, (*signs, "node", *runner, path))


def _write(
    sheets: Sequence[QuestionSheet], nonce: str, *, first: str, name: str, ending: str, folder: str
) -> tuple[str, str]:
    path = posixpath.normpath(f"{folder}/{name}.test.{ending}") if folder else f"{name}.{ending}"
    depth = path.count("/")
    number = 0
    written, expected = [], []
    for sheet in sheets:
        numbered = list(enumerate(sheet.questions, start=number))
        number += len(numbered)
        expected += [f"  [{n}, () => ({q.expected})],\n" for n, q in numbered if q.expected]
        written.append(_write_sheet(sheet, numbered, root="../" * depth or "./", own=bool(folder)))
    text = (
        f"{first}const NONCE = {json.dumps(nonce)};\n"
        f"const EXPECTED = [\n{''.join(expected)}];\n"
        f"const SHEETS = [\n{''.join(written)}];\n{_START}"
    )
    words = f"const WORDS = {json.dumps(sorted(list_words('runners')))};\n"
    register = "register();\n" if ending == "cjs" else "await register();\n"
    watched = words + _WATCHED.replace("TITLE", name) + register
    return path, text + (watched if folder else _PLAIN)


def _write_sheet(
    sheet: QuestionSheet, questions: Sequence[tuple[int, Question]], *, root: str, own: bool
) -> str:
    """Write a function that loads what a sheet names, and returns its calls."""
    pairs = [
        (number, place, call)
        for number, question in questions
        for place, call in enumerate((question.call, *(() if own else question.list_other_calls())))
    ]
    head = " ".join(sheet.head).replace(f'"{ROOT}', f'"{root}')
    calls = "".join(f"    [{n}, {place}, async () => ({call})],\n" for n, place, call in pairs)
    absent = "".join(f"[{n}, {place}], " for n, place, _ in pairs)
    return (
        f"  async () => {{\n    try {{ {head} }} catch {{ return [{absent}]; }}\n"
        f"    return [\n{calls}    ];\n  }},\n"
    )
