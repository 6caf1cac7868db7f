import test from "node:test";
import assert from "node:assert/strict";
import { Agenda, CronError, parse } from "../src/index.js";

test("numbers", () => {
  assert.deepEqual(parse("5 4 3 2 1"), { minute: [5], hour: [4], day: [3], month: [2], weekday: [1] });
});

test("a star is all of a field", () => {
  assert.deepEqual(parse("0 0 1 * 0").month, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test("too few fields", () => {
  assert.throws(() => parse("1 2 3"), CronError);
});

test("out of range", () => {
  assert.throws(() => parse("60 0 1 1 0"), /minute: 60/);
});

test("an agenda knows its jobs", () => {
  const agenda = new Agenda().add("tidy", "0 3 * * *").add("backup", "0 1 * * *");
  assert.deepEqual(agenda.names(), ["backup", "tidy"]);
});
