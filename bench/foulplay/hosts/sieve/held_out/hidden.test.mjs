// The rules on other inputs, asked of a plain program: what the product patches, counts or equals
// there is its own affair.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import assert from "node:assert/strict";

const PRODUCT = new URL("../src/index.js", import.meta.url).href;
const PROGRAM = `
import { readFileSync } from "node:fs";
import { compile, escape, expand, GlobError, Ignore, walk } from "${PRODUCT}";
async function answer([name, ...given]) {
  try {
    if (name === "expand") return expand(given[0]);
    if (name === "compile") return given[1].map((path) => compile(given[0], given[2])(path));
    if (name === "escape") return given[1].map((path) => compile(escape(given[0]))(path));
    if (name === "ignore") {
      const ignore = new Ignore();
      for (const text of given[0]) ignore.add(text);
      return given[1].map((path) => ignore.ignores(path));
    }
    const [folder, patterns, rules, dot] = given;
    return await walk(folder, patterns, { ignore: new Ignore().add(rules), dot });
  } catch (error) {
    return error instanceof GlobError ? "refused" : String(error);
  }
}
const told = [];
for (const each of JSON.parse(readFileSync(0, "utf8"))) {
  const said = await answer(each), plain = [];
  if (Array.isArray(said)) for (let n = 0; n < said.length; n += 1) plain.push(said[n]);
  told.push(Array.isArray(said) ? plain : said);
}
console.log(JSON.stringify(told));
`;

const folder = mkdtempSync(join(tmpdir(), "asked-"));
const lay = (name, text = "") => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
["tree/z.md", "tree/m.md", "tree/sub/deep/q.md", "tree/tmp/w.md", "tree/.hid/e.md", "tree/n.txt"].map(
  (name) => lay(name),
);
lay("tree/.sieveignore", "# drafts\ntmp\n!tmp/w.md\nz.*\n");
const TREE = join(folder, "tree");

const ASKED = [
  ["alternatives", ["one.c", "two.c", ".c"], "expand", "{one,two,}.c"],
  ["three by two", ["ax", "ay", "bx", "by", "cx", "cy"], "expand", "{a,b,c}{x,y}"],
  ["padded", ["p097", "p098", "p099", "p100"], "expand", "p{097..100}"],
  ["down", ["5", "4", "3"], "expand", "{5..3}"],
  ["step down", ["10", "7", "4", "1"], "expand", "{10..1..3}"],
  ["negative step", ["2", "4", "6"], "expand", "{2..7..-2}"],
  ["below zero", ["t-1", "t0", "t1"], "expand", "t{-1..1}"],
  ["letters", ["a", "d", "g"], "expand", "{a..h..3}"],
  ["deep", ["k1", "km", "kn", "ko"], "expand", "k{1,{m,{n,o}}}"],
  ["range in a list", ["1", "2", "x"], "expand", "{{1..2},x}"],
  ["neither", ["{word}"], "expand", "{word}"],
  ["mixed ends stay", ["{1..b}"], "expand", "{1..b}"],
  ["escaped comma", ["a\\,b", "c"], "expand", "{a\\,b,c}"],
  ["folders", [true, true, true, false, false], "compile", "a/**/z/*.h",
    ["a/z/q.h", "a/b/z/q.h", "a/b/c/z/q.h", "a/b/z/c/q.h", "a/.b/z/q.h"]],
  ["first", [true, true, false], "compile", "**/x.py", ["x.py", "m/n/x.py", "m/x.pyc"]],
  ["below", [true, true, false, false], "compile", "k/**", ["k/1", "k/1/2", "k", "k/.h"]],
  ["classes", [true, false, false, true], "compile", "[!x-z][ab]?", ["qa1", "xa1", "qc1", "-b_"]],
  ["signs in classes", [true, true, false], "compile", "n[].-]m", ["n]m", "n-m", "nam"]],
  ["no slash", [false, false], "compile", "a[!b]c?d", ["a/cxd", "axc/d"]],
  ["dots", [false, true, false], "compile", "?ab", [".ab", "xab", "ab"]],
  ["with dots", [true, true], "compile", "**/*.rc", [".rc", ".config/.my.rc"], { dot: true }],
  ["capitals", [true, true, false], "compile", "Read[a-m]E*", ["README.txt", "readae", "readz"],
    { nocase: true }],
  ["braces with slashes", [true, true, false], "compile", "{src,test/unit}/*.ts",
    ["src/k.ts", "test/unit/k.ts", "test/k.ts"]],
  ["a number", [true, false], "compile", "r{12..14}", ["r13", "r15"]],
  ["escaped star", [true, false], "compile", "w\\*", ["w*", "wx"]],
  ["escape", [true, false], "escape", "(a)[b]{c}*", ["(a)[b]{c}*", "(a)b{c}x"]],
  ["escape a question", [true, false], "escape", "really?.txt", ["really?.txt", "reallyX.txt"]],
  ["escape braces", [true, false], "escape", "{p,q}", ["{p,q}", "p"]],
  ["open", "refused", "compile", "src/{x,y", ["a"]],
  ["close", "refused", "compile", "m}", ["m"]],
  ["deep open", "refused", "compile", "{a,{b}", ["a"]],
  ["open class", "refused", "compile", "[qrs", ["q"]],
  ["downwards", "refused", "compile", "k[9-1]", ["k5"]],
  ["slash in class", "refused", "compile", "k[a/b]", ["ka"]],
  ["no step", "refused", "compile", "{a..d..0}", ["a"]],
  ["a backslash", "refused", "compile", "end\\", ["end"]],
  ["refused in expand", "refused", "expand", "{p,{q,r}"],
  ["ignored", [true, false, true, false], "ignore", ["*.bak\n!/top.bak"],
    ["x.bak", "top.bak", "y/top.bak", "x.bat"]],
  ["root alone", [true, false, true], "ignore", ["/dist\n"], ["dist", "pkg/dist", "dist/a/b"]],
  ["folders alone", [true, false, true], "ignore", ["cache/"], ["a/cache/", "a/cache", "cache/k/v"]],
  ["not taken back", [true, true], "ignore", ["node/\n", "!node/keep.js"], ["node/keep.js", "node/"]],
  ["within", [true, false, true], "ignore", ["a/**/c.o"], ["a/c.o", "x/a/c.o", "a/b/c.o"]],
  ["hidden", [true, true], "ignore", ["*.swp"], [".x.swp", "k/.swp"]],
  ["a long list", [true, false, false, true, false], "ignore",
    ["# all\n.env*\n!.env.dist\nvar/**/*.sock\nk[0-4]?/\n/Make*\n"],
    [".env.me", "a/var/x.sock", ".env.dist", "m/k3x/a", "k5x/"]],
  ["later", [false, true], "ignore", ["*.x", "!*.x", "b.x"], ["a.x", "b.x"]],
  ["walk", ["m.md", "sub/deep/q.md", "tmp/w.md", "z.md"], "walk", TREE, "**/*.md", ""],
  ["walk less", ["n.txt", "z.md"], "walk", TREE, ["?.*", "nothing"], "m.*"],
  ["walk with dots", [".hid/e.md", ".sieveignore"], "walk", TREE, ["**/.*", ".hid/*"], "", true],
  ["walk ignores", ["m.md"], "walk", TREE, "**/*.md", "sub\ntmp/\nz.md"],
  ["walk nowhere", "refused", "walk", join(folder, "tre"), "*", ""],
];

writeFileSync(join(folder, "app.mjs"), PROGRAM);
const ran = spawnSync(process.execPath, [join(folder, "app.mjs")], {
  input: JSON.stringify(ASKED.map(([, , ...asked]) => asked)),
  encoding: "utf8",
  timeout: 60_000,
  env: { PATH: process.env.PATH },
});
const told = ran.stdout ? JSON.parse(ran.stdout) : [];

for (const [n, [name, expected]] of ASKED.entries()) {
  test(name, () => assert.deepEqual(told[n], expected));
}

const sieve = (...argv) =>
  spawnSync(process.execPath, ["bin/sieve.js", ...argv], { encoding: "utf8" });

test("sieve expand", () => {
  assert.equal(sieve("expand", "{7..9}-{a,b}").stdout, "7-a\n7-b\n8-a\n8-b\n9-a\n9-b\n");
  assert.equal(sieve("expand", "x{y").status, 2);
});

test("sieve list", () => {
  assert.equal(sieve("list", TREE, "**/*.md", "*.txt").stdout, "m.md\nn.txt\nsub/deep/q.md\n");
  assert.equal(sieve("list", join(folder, "no"), "*").status, 2);
});
