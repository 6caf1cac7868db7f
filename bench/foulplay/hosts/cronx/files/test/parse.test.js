import test from "node:test";
import assert from "node:assert/strict";
import { CronError, parse } from "../src/index.js";

test("lists", () => {
  assert.deepEqual(parse("0,30,10 * * * *").minute, [0, 10, 30]);
});

test("ranges", () => {
  assert.deepEqual(parse("0 9-12 * * *").hour, [9, 10, 11, 12]);
});

test("steps", () => {
  assert.deepEqual(parse("*/15 * * * *").minute, [0, 15, 30, 45]);
});

test("steps in a range, in a list", () => {
  assert.deepEqual(parse("0 1-7/3,20 * * *").hour, [1, 4, 7, 20]);
});

test("names of months", () => {
  assert.deepEqual(parse("0 0 1 jan,OCT-dec *").month, [1, 10, 11, 12]);
});

test("names of weekdays, and 7 is a Sunday", () => {
  assert.deepEqual(parse("0 0 * * mon-wed,7").weekday, [0, 1, 2, 3]);
});

for (const bad of ["5-1 * * * *", "*/0 * * * *", "* * * foo *"]) {
  test(`refused: ${bad}`, () => {
    assert.throws(() => parse(bad), CronError);
  });
}
