import { after, before, beforeEach, describe, test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compile, escape, expand, GlobError, Ignore, walk } from "../src/index.js";

const RULES = `
# what editors leave behind
*~
.*.sw?
.idea/
.vscode/*
!.vscode/settings.json

# what is built
/dist
/coverage/
*.tsbuildinfo
packages/*/lib/
report-[0-9][0-9].pdf

# what nobody may see
.env
.env.*
!.env.example
secrets/**/*.pem

# what is heavy
node_modules/
*.{mp4,mov}
fixtures/video-{01..12}/
`;
const BRACES = [
  ["src/{lib,bin}/main.js", ["src/lib/main.js", "src/bin/main.js"]],
  ["scan{08..11}.png", ["scan08.png", "scan09.png", "scan10.png", "scan11.png"]],
  ["v{1..9..4}-{c..a}", ["v1-c", "v1-b", "v1-a", "v5-c", "v5-b", "v5-a", "v9-c", "v9-b", "v9-a"]],
  ["a{b,c{d,e}}f", ["abf", "acdf", "acef"]],
  ["{x}\\{1..2\\}", ["{x}\\{1..2\\}"]],
];

for (const [pattern, expected] of BRACES) {
  test(`expands ${pattern}`, () => {
    assert.deepEqual(expand(pattern), expected);
  });
}

test("two stars cross folders", () => {
  const isSource = compile("src/**/*.js");
  for (const path of ["src/app.js", "src/view/list/row.js"]) assert.equal(isSource(path), true, path);
  for (const path of ["lib/app.js", "src/.cache/app.js", "src/app.jsx"]) {
    assert.equal(isSource(path), false, path);
  }
  assert.equal(compile("docs/**")("docs/api/index.md"), true);
});

test("classes", () => {
  assert.equal(compile("log[0-9].tx[!a-s]")("log7.txt"), true);
  assert.equal(compile("log[0-9].tx[!a-s]")("logs.txt"), false);
  assert.equal(compile("log[0-9].tx[!a-s]")("log7.txb"), false);
});

test("options", () => {
  assert.equal(compile("*.{JPG,png}", { nocase: true })("Photo.jpg"), true);
  assert.equal(compile("*/config", { dot: true })(".git/config"), true);
  assert.equal(compile("*/config")(".git/config"), false);
});

test("what is broken is refused", () => {
  for (const bad of ["{a,b", "a}b", "{1..5..0}", "[a-", "x[z-a]", "src\\"]) {
    assert.throws(() => compile(bad), GlobError, bad);
  }
});

test("what is escaped matches itself alone", () => {
  for (const name of ["a*b", "[draft] {1,2}.md", "why?", "back\\slash"]) {
    const matches = compile(escape(name));
    assert.ok(matches(name), name);
    assert.ok(!matches(name.replace(/\W/, "x")), name);
  }
});

describe("Ignore", () => {
  let ignore;

  beforeEach(() => {
    ignore = new Ignore();
    ignore.add("*.log\n!keep.log\n/build/\ndocs/*.tmp\n");
  });

  test("the last rule counts", () => {
    assert.equal(ignore.ignores("server/error.log"), true);
    assert.equal(ignore.ignores("server/keep.log"), false);
    ignore.add("keep.*");
    assert.equal(ignore.ignores("server/keep.log"), true);
  });

  test("slashes tie a rule to the root, and to folders", () => {
    assert.deepEqual(
      ["build/", "build", "lib/build/", "build/keep.log", "docs/a.tmp", "docs/x/a.tmp"].map((path) =>
        ignore.ignores(path),
      ),
      [true, false, false, true, true, false],
    );
  });
});

test("a whole file of rules", () => {
  const paths = [
    "src/.main.js.swp", ".vscode/settings.json", "dist/app.js", "packages/ui/lib/index.js",
    "packages/lib/index.js", "docs/report-07.pdf", ".env.local", "app/.env.example",
    "secrets/eu/prod.pem", "talk.mov", "fixtures/video-08/raw.bin", "fixtures/video-8/raw.bin",
  ];
  assert.deepEqual(
    paths.filter((path) => new Ignore().add(RULES).ignores(path)),
    [
      "src/.main.js.swp", "dist/app.js", "packages/ui/lib/index.js", "docs/report-07.pdf",
      ".env.local", "secrets/eu/prod.pem", "talk.mov", "fixtures/video-08/raw.bin",
    ],
  );
});

describe("files", () => {
  let folder;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "sieve-"));
    for (const name of ["b.js", "a.js", "lib/c.js", "lib/c.test.js", "out/d.js", ".eslint.js"]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), "");
    }
    writeFileSync(join(folder, ".sieveignore"), "out/\n*.test.js\n");
  });

  after(() => rmSync(folder, { recursive: true }));

  test("walk finds files in order", async () => {
    assert.deepEqual(await walk(folder, "*.js"), ["a.js", "b.js"]);
    assert.deepEqual(await walk(folder, ["lib/*", "**/d.js"], { ignore: new Ignore().add("*.test.js") }), [
      "lib/c.js",
      "out/d.js",
    ]);
  });

  test("walk needs a folder", async () => {
    await assert.rejects(walk(join(folder, "none"), "*"), GlobError);
  });

  test("sieve list", () => {
    const said = execFileSync("node", ["bin/sieve.js", "list", folder, "**/*.js"]);
    assert.equal(String(said), "a.js\nb.js\nlib/c.js\n");
  });

  test("sieve expand", () => {
    assert.equal(String(execFileSync("node", ["bin/sieve.js", "expand", "r{9..11}"])), "r9\nr10\nr11\n");
    const { status, stderr } = spawnSync("node", ["bin/sieve.js", "expand", "{a"], { encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, /^sieve: /);
  });
});
