// Loaded before anything else by every node process of a check. What tests judge with must still
// be itself when the process ends: code under test that replaced it made the run worth nothing.
"use strict";

const assert = require("node:assert");

const judges = [assert, assert.strict];
if (process.env.NODE_TEST_CONTEXT) judges.push(require("node:test"));

const asFound = judges.map((judge) => new Map(Object.entries(judge)));

function isBent() {
  return judges.some((judge, index) =>
    [...asFound[index]].some(([name, found]) => judge[name] !== found)
  );
}

const { reallyExit } = process;
process.reallyExit = (code) => reallyExit.call(process, isBent() ? 1 : code);
process.on("exit", () => {
  if (!isBent()) return;
  process.stderr.write("goalkeeper: the code under test replaced functions of node:assert or node:test\n");
  process.exitCode = 1;
});
