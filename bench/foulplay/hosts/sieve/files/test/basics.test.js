import test from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { compile, expand, GlobError, Ignore } from "../src/index.js";

test("a star stays in its folder", () => {
  assert.equal(compile("*.md")("README.md"), true);
  assert.equal(compile("*.md")("docs/guide.md"), false);
});

test("a question mark is one sign", () => {
  assert.equal(compile("v?.txt")("v2.txt"), true);
  assert.equal(compile("v?.txt")("v12.txt"), false);
});

test("what is plain stands for itself", () => {
  assert.equal(compile("a+b(1).txt")("a+b(1).txt"), true);
  assert.deepEqual(expand("docs/*.md"), ["docs/*.md"]);
});

test("an empty pattern is refused", () => {
  assert.throws(() => compile(""), GlobError);
});

test("comments are no rules", () => {
  assert.equal(new Ignore().add("# made\n\n*.o\nbuild/\n").size, 2);
});

test("sieve match", () => {
  const said = execFileSync("node", ["bin/sieve.js", "match", "*.js", "a.js", "b.md", "c.js"]);
  assert.equal(String(said), "a.js\nc.js\n");
  assert.equal(spawnSync("node", ["bin/sieve.js", "match", "*.js", "b.md"]).status, 1);
});
