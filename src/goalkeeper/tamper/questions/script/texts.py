"""The parts of the programs that ask questions of JavaScript and TypeScript."""

# What is compared is written in one way, whatever made it: tests do not compare prototypes alike.
START = """\
const write = writeSync, show = JSON.stringify, keysOf = Object.keys, isArray = Array.isArray;
const listOf = Array.from, tagOf = Function.prototype.call.bind(Object.prototype.toString);
const end = process.exit.bind(process), name = String, bytesOf = Buffer.from.bind(Buffer);
const clock = performance.now.bind(performance), cpu = process.cpuUsage.bind(process);
const here = process.cwd() + "/";
const wait = Atomics.wait, idle = new Int32Array(new SharedArrayBuffer(4));

// Where a file of tests lies, wherever the program that asks does.
function placeOf(path) {
  const filename = here + path;
  const dirname = filename.slice(0, filename.lastIndexOf("/"));
  return { filename, dirname, url: "file://" + filename };
}

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

// What is kept here is what the language and its assertions are before the product is loaded.
const { getOwnPropertyDescriptor: descriptorOf } = Object;
const HOLDERS = {
  assert, "assert.strict": assert.strict, Object, Array, Number, Math, JSON, Reflect,
  "Object.prototype": Object.prototype, "Function.prototype": Function.prototype,
  "String.prototype": String.prototype, "Array.prototype": Array.prototype,
  "RegExp.prototype": RegExp.prototype, "Map.prototype": Map.prototype,
  "Set.prototype": Set.prototype, "Promise.prototype": Promise.prototype,
};
const built = keysOf(HOLDERS).flatMap((title) =>
  Reflect.ownKeys(HOLDERS[title])
    .map((key) => [title, key, descriptorOf(HOLDERS[title], key).value])
    .filter(([, , own]) => typeof own === "function"),
);

function tellEnd() {
  for (const [title, key, own] of built) {
    const now = descriptorOf(HOLDERS[title], key);
    if (now === undefined || now.value !== own) tell(0, 0, "replaced", title + "." + name(key));
  }
  tell(0, 0, "end", "");
}

for (const number of REFUSED) tell(number, 0, "refused", "");
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

const ending = {
  exit(code) {
    throw new RangeError("exit", { cause: code });
  },
};
process.exit = ending.exit; // it looks as the one of node does

async function load() {
  const asked = [];
  for (const sheet of SHEETS) for (const each of await sheet()) asked[asked.length] = each;
  const turn = ([number, place]) => Math.ceil(place / FEW) * 1000 + number;
  return asked.sort((one, other) => turn(one) - turn(other));
}

const took = {}, worked = {}, answers = {}, context = createContext({});
const later = setTimeout, forget = clearTimeout;
const script = new Script("put()", { filename: own }), tooLate = new Error("late");

// A neighbour may never end, or never answer.
async function limit(number, call, least) {
  const timeout = Math.ceil(Math.max(least, Math.min(MOST, LATER * took[number])));
  let timer;
  const late = new Promise((_, reject) => (timer = later(() => reject(tooLate), timeout)));
  context.put = call;
  try {
    return await Promise.race([script.runInContext(context, { timeout }), late]);
  } finally {
    forget(timer);
  }
}

function isLate(error) {
  return error === tooLate || (error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT");
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
    if (!place) answers[number] = said;
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
KEPT_ONLY = """\
for (const word of keysOf(process.env)) if (!KEPT.includes(word)) delete process.env[word];
"""
PLAIN = """\
async function askAll() {
  const asked = await load(), spent = {}, tried = {};
  let questions = 0, total = 0, known = 0;
  for (const each of asked.filter(([, place]) => !place)) {
    const began = clock();
    questions += worked[each[0]] = await ask(each);
    took[each[0]] = clock() - began; // it may wait for other programs
  }
  tell(0, 0, "asked", "");
  const began = clock();
  for (const [number, place, call] of asked) {
    if (clock() > began + MOST) break;
    // What is slow for all but its tests is asked some more.
    const isEnough = known >= TELLING || worked[number] > SHORT;
    if (total > Math.max(LEAST, questions / 4) && isEnough) continue;
    if (!place || spent[number] > SHARE) continue;
    const time = await ask([number, place, call]);
    spent[number] = (spent[number] ?? 0) + time;
    tried[number] = (tried[number] ?? 0) + 1;
    if (tried[number] === FEW) known += 1;
    total += time;
  }
  await walkAll(asked);
  tellEnd();
}

const session = new Session();
function post(method, options) {
  let told;
  session.post(method, options, (_, result) => (told = result));
  return told;
}

// What a call goes through: by function, the pieces of it that were not run. The time of what is
// late is not held against the others: on a busy machine, all of them wait long for it.
let lost = 0, answer;
async function walk(number, call) {
  for (const isWatched of [false, true]) { // what is kept for the next time is there by then
    if (isWatched) post("Profiler.takePreciseCoverage");
    const began = spend();
    answer = undefined;
    try {
      answer = shorten(await limit(number, call, isWatched ? LATE : LATE_WALK));
    } catch (error) {
      if (!isLate(error)) continue;
      lost += spend() - began;
      return undefined;
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
  const began = spend(), last = clock() + MOST, walked = asked.filter((each) => each[3]);
  for (const [number, , call, groups, shifted] of walked.sort((one, other) => one[5] - other[5])) {
    if (spend() - lost > began + ENOUGH || clock() > last) break;
    if (worked[number] > SHORT || took[number] > LATE) continue;
    const own = await walk(number, call), aside = new Set();
    const moved = own ? await walkMoved(number, shifted) : [];
    for (const group of own ? groups : []) {
      const found = await compare(number, own, group, moved);
      for (const step of found) aside.add(step);
      if (found.includes("late")) break;
    }
    for (const key of keysOf(own ?? {})) tell(number, 0, "through", own[key].title);
    for (const step of listOf(aside).slice(0, 50)) tell(number, 0, "aside", step);
  }
}

// How numbers lie to each other may decide about the way: then the answer moves with all of them.
async function walkMoved(number, shifted) {
  const walks = [];
  for (const each of shifted) {
    const walked = await walk(number, each);
    if (walked && answer !== answers[number]) walks[walks.length] = walked;
  }
  return walks;
}

async function isEndless(number, call) {
  const began = spend();
  try {
    await limit(number, call, ENDLESS);
  } catch (error) {
    if (isLate(error)) lost += spend() - began;
    return isLate(error);
  }
  return false;
}

// Steps that only the first goes, and none of the others, of which most come to their end; or all
// are late, and the first has no end. What never came to the product tells nothing.
async function compare(number, own, group, moved) {
  const walks = [], tried = keysOf(own).length ? group : [];
  let found = [], late = 0;
  for (const each of tried) {
    const walked = await walk(number, each);
    if (walked) {
      walks[walks.length] = walked;
      found = keysOf(own).flatMap((key) => listAside(key, [own, ...walks, ...moved]));
      if (!keysOf(walked).length || !found.length) return [];
    } else late += 1;
  }
  if (late && late === tried.length) return (await isEndless(number, tried[0])) ? ["late"] : [];
  return walks.length > late ? found : [];
}
askAll().finally(() => end(0));
"""
# Only the tests' own calls, as many as there is time for, and what is quick again and again.
ASKED_AROUND = """\
async function askAround() {
  const asked = await load(), began = spend(), first = clock(), quick = [];
  for (const turn of ORDER) {
    const at = clock();
    if (spend() > began + AROUND || at > first + WAITING) continue;
    await ask(asked[turn]);
    if (clock() < at + LATE_WALK) quick[quick.length] = asked[turn];
  }
  const again = spend();
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const each of quick) if (spend() < again + AROUND) await ask(each);
  }
  tellEnd();
}
askAround().finally(() => end(0));
"""
# Each question is a test, as deep below the runner as those of the project. What products know a
# runner by is there, also where another one runs it.
WATCHED = """\
for (const word of WORDS) if (!(word in globalThis)) globalThis[word] = () => {};
const runner = globalThis.__vitest_worker__ ? "vitest" : "node:test";
async function register() {
  const { test } = await import(runner);
  const tests = (await load()).map((each) => test("TITLE", () => ask(each)));
  if (runner !== "vitest") Promise.all(tests).then(() => end(0));
}
"""
