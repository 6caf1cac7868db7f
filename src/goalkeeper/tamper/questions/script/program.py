"""Writes the programs that ask questions of JavaScript and TypeScript."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Sequence

from goalkeeper.tamper.questions.model import (
    LATE_SECONDS,
    LATE_WALK_SECONDS,
    LATER,
    LEAST_SECONDS,
    MOST_SECONDS,
    SHARE_SECONDS,
    USUAL_NAMES,
    WALKING_SECONDS,
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
const clock = performance.now.bind(performance), cpu = process.cpuUsage.bind(process);
const here = process.cwd() + "/";
const wait = Atomics.wait, idle = new Int32Array(new SharedArrayBuffer(4));

function spend() {
  const { user, system } = cpu();
  return (user + system) / 1000;
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

const wanted = {};
for (const [number, make] of EXPECTED) {
  try {
    tell(number, 0, "expected", shorten(make()));
    wanted[number] = make;
  } catch {}
}

// Another value passes for equal if it says so to whoever asks, or if the product compares for us.
const COMPARING = ["equal", "strictEqual", "deepEqual", "deepStrictEqual"];
const { deepStrictEqual } = assert;
const comparing = [assert, assert.strict].flatMap((judge) =>
  COMPARING.map((word) => [judge, word, judge[word]]),
);

function passes(value, other) {
  const bent = comparing.filter(([judge, word, own]) => judge[word] !== own);
  const judges = [...bent.map(([judge, word]) => judge[word]), deepStrictEqual];
  return judges.some((judge) => {
    try {
      judge(value, other);
      return true;
    } catch {
      return false;
    }
  });
}

process.exit = () => {
  throw new RangeError("exit");
};

async function load() {
  const asked = [];
  for (const sheet of SHEETS) for (const each of await sheet()) asked[asked.length] = each;
  return asked.sort((one, other) => one[1] - other[1]);
}

const took = {}, context = createContext({}), script = new Script("put()");

// A neighbour may never end.
function limit(number, call, least) {
  const timeout = Math.ceil(Math.max(least, LATER * took[number]));
  context.put = call;
  return script.runInContext(context, { timeout });
}

function isLate(error) {
  return error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

async function ask([number, place, call]) {
  if (call === undefined) {
    tell(number, place, "absent", "");
    return 0;
  }
  const began = spend();
  try {
    const value = await (place ? limit(number, call, LATE) : call()), said = shorten(value);
    tell(number, place, "value", said);
    if (place || !wanted[number]) return spend() - began;
    const other = wanted[number](), text = shorten(other);
    if (said !== text && passes(value, other)) tell(number, 0, "equal", text);
  } catch (error) {
    if (isLate(error)) return LATE;
    tell(number, place, "error", name(error && error.name));
  }
  return spend() - began;
}

"""
# Nobody listens for what goes wrong there: a runner would. Neighbours come last, so that the
# questions themselves have their answers before that.
_PLAIN = """\
for (const word of keysOf(process.env)) if (!KEPT.includes(word)) delete process.env[word];
async function askAll() {
  const asked = await load(), spent = {};
  let questions = 0, total = 0;
  for (const each of asked.filter(([, place]) => !place)) {
    const began = clock();
    questions += await ask(each);
    took[each[0]] = clock() - began; // it may wait for other programs
  }
  const began = clock();
  for (const [number, place, call] of asked) {
    if (total > Math.max(LEAST, questions / 4) || clock() > began + MOST) break;
    if (!place || spent[number] > SHARE) continue;
    const time = await ask([number, place, call]);
    spent[number] = (spent[number] ?? 0) + time;
    total += time;
  }
  await walkAll(asked);
}

const session = new Session();
function post(method, options) {
  let told;
  session.post(method, options, (_, result) => (told = result));
  return told;
}

// What a call goes through: by function, the pieces of it that were not run.
async function walk(number, call) {
  for (const isWatched of [false, true]) { // what is kept for the next time is there by then
    if (isWatched) post("Profiler.takePreciseCoverage");
    try {
      await limit(number, call, isWatched ? LATE : LATE_WALK);
    } catch (error) {
      if (isLate(error)) return undefined;
    }
  }
  const found = {};
  for (const { url, functions } of post("Profiler.takePreciseCoverage").result) {
    if (!url.includes(here) || url.includes("/node_modules/") || url === own) continue;
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, endOffset, count }] = ranges;
      const title = url.slice(url.indexOf(here) + here.length) + ": " + functionName;
      if (count) found[title + " " + startOffset] = { title, ranges, end: endOffset };
    }
  }
  return found;
}

function isRun(ranges, at) {
  let run = false;
  for (const { startOffset, endOffset, count } of ranges) {
    if (startOffset <= at && at < endOffset) run = count > 0;
  }
  return run;
}

// Pieces end where any of the calls has an end; one that only the first runs, or only it does not.
function listAside(key, [own, ...others]) {
  const near = others.map((each) => (each[key] ? each[key].ranges : []));
  const ranges = [own[key].ranges, ...near].flat();
  const ends = ranges.flatMap((each) => [each.startOffset, each.endOffset]);
  return ends.filter((at) => {
    const is = isRun(own[key].ranges, at);
    return at < own[key].end && near.every((each) => isRun(each, at) !== is);
  }).map((at) => own[key].title + " " + at);
}

// Only what is loaded after this is seen piece by piece.
session.connect();
post("Profiler.enable");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

async function walkAll(asked) {
  const began = spend(), walked = asked.filter((each) => each[3]);
  for (const [number, , call, groups] of walked.sort((one, other) => one[4] - other[4])) {
    if (spend() > began + ENOUGH) break;
    if (took[number] > SHORT) continue;
    const own = await walk(number, call), aside = new Set();
    for (const group of own ? groups : []) {
      const found = await compare(number, own, group);
      for (const step of found) aside.add(step);
      if (found.includes("late")) break;
    }
    for (const key of keysOf(own ?? {})) tell(number, 0, "through", own[key].title);
    for (const step of listOf(aside).slice(0, 50)) tell(number, 0, "aside", step);
  }
}

// Steps that only the first goes, and none of the others; they are all late, or none of them is.
async function compare(number, own, group) {
  const walks = [];
  let found = keysOf(own).length ? ["late"] : [];
  for (const each of found.length ? group : []) {
    const walked = await walk(number, each);
    if (walks.length && !walked !== !walks[0]) return [];
    walks[walks.length] = walked;
    if (walked) found = keysOf(own).flatMap((key) => listAside(key, [own, ...walks]));
    if (!found.length) break;
  }
  return found;
}
askAll().finally(() => end(0));
"""
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
) -> AskingProgram:
    """Write the program as a module; with a `folder` it is a test there, which a runner runs."""
    is_typed = any(sheet.path.endswith("ts") for sheet in sheets)
    ending = "mts" if is_typed else "mjs"
    first = 'import { writeSync } from "node:fs";\nimport { Session } from "node:inspector";\n'
    first += 'import { createContext, Script } from "node:vm";\n'
    first += 'import assert from "node:assert";\n'
    first += "const own = import.meta.url;\n"
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
    first += 'const { createContext, Script } = require("node:vm");\n'
    first += 'const assert = require("node:assert");\n'
    first += 'const { Session } = require("node:inspector"), own = "file://" + __filename;\n'
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
    limits = {
        "LEAST": LEAST_SECONDS,
        "MOST": MOST_SECONDS,
        "LATE": LATE_SECONDS,
        "LATE_WALK": LATE_WALK_SECONDS,
        "SHARE": SHARE_SECONDS,
        "SHORT": _SHORT_SECONDS,
        "ENOUGH": WALKING_SECONDS,
    }
    given = "".join(f"const {word} = {each * 1000:.0f};\n" for word, each in limits.items())
    text = (
        f"{given}const LATER = {LATER};\n"
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
    groups = (", ".join(f"async () => ({call})" for call in group) for group in question.walked)
    written = ", ".join(f"[{group}]" for group in groups)
    return f", [{written}], {int(question.is_played)}" if question.walked else ""
