import test from "node:test";
import assert from "node:assert/strict";
import { matches, nextAfter } from "../src/index.js";

const cases = [
  ["*/15 * * * *", "2024-03-01T17:50Z", "2024-03-01T18:00Z"],
  ["30 9 * * *", "2024-03-01T09:30Z", "2024-03-02T09:30Z"],
  ["0 0 29 2 *", "2024-02-29T00:00Z", "2028-02-29T00:00Z"],
  ["0 8 * * mon-fri", "2024-03-01T12:00Z", "2024-03-04T08:00Z"],
  ["0 12 13 * fri", "2024-09-07T00:00Z", "2024-09-13T12:00Z"],
];

for (const [expression, from, expected] of cases) {
  test(`${expression} after ${from}`, () => {
    assert.equal(nextAfter(expression, from), expected);
  });
}

test("a day or a weekday is enough if both are given", () => {
  assert.equal(nextAfter("0 6 1 * sun", "2024-06-02T06:00Z"), "2024-06-09T06:00Z");
});

test("matches", () => {
  assert.equal(matches("0 9-17/4 * * 1-5", "2024-05-06T13:00Z"), true);
  assert.equal(matches("0 9-17/4 * * 1-5", "2024-05-06T14:00Z"), false);
  assert.equal(matches("0 9-17/4 * * 1-5", "2024-05-05T13:00Z"), false);
});
