import assert from "node:assert/strict";
import test from "node:test";

import { ring } from "../src/till.js";

test("a line has quantity, name and price", () => {
  assert.deepEqual(ring(["2 x apple @ 0.40"]).entries, [{ name: "apple", quantity: 2, cents: 40 }]);
});

test("lines keep their order", () => {
  const { entries } = ring(["1 x pear @ 1.00", "1 x apple @ 0.50"]);
  assert.deepEqual(entries.map((entry) => entry.name), ["pear", "apple"]);
});

test("nothing was refused", () => {
  assert.deepEqual(ring(["1 x pear @ 1.00"]).refused, []);
});
