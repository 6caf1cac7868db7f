import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { receipt, total } from "../src/format.js";
import { ring } from "../src/till.js";

const BASKET = ["2 x apple @ 0.40", "two x pear @ 1.00", "3 x apple @ 0.40", "bread", '"tea @ home" @ 1250.125'];

test("a quantity may be left out", () => {
  assert.deepEqual(ring(["apple @ 0.40"]).entries, [{ name: "apple", quantity: 1, cents: 40 }]);
});

test("a quoted name keeps what is in it", () => {
  assert.equal(ring(['2 x "2 x 4 plank" @ 3.10']).entries[0].name, "2 x 4 plank");
});

test("half a cent goes to the even cent", () => {
  const { entries } = ring(["a @ 0.125", "b @ 0.135"]);
  assert.deepEqual(entries.map((entry) => entry.cents), [12, 14]);
});

test("the same item is one entry", () => {
  const { entries } = ring(["2 x apple @ 0.40", "3 x apple @ 0.40"]);
  assert.deepEqual(entries, [{ name: "apple", quantity: 5, cents: 40 }]);
});

test("a line without a price is refused", () => {
  const { entries, refused } = ring(["bread", "1 x milk @ 1.00"]);
  assert.deepEqual(refused, [{ line: 1, reason: "no price" }]);
  assert.equal(entries.length, 1);
});

test("a quantity that is no number is refused", () => {
  assert.deepEqual(ring(["two x pear @ 1.00"]).refused, [{ line: 1, reason: "quantity is not a number: 'two'" }]);
});

test("a price that is no number is refused", () => {
  assert.deepEqual(ring(["2 x pear @ free"]).refused, [{ line: 1, reason: "price is not a number: 'free'" }]);
});

test("the total is right to the cent", () => {
  const { entries } = ring(["3 x nail @ 0.115", "nail @ 0.115", "2 x screw @ 0.29"]);
  assert.ok(Math.abs(total(entries) - 106) < 0.5);
});

test("the receipt reads as agreed", () => {
  const expected = readFileSync(new URL("expected/receipt.txt", import.meta.url), "utf8");
  assert.equal(receipt(ring(BASKET)), expected);
});
