import assert from "node:assert/strict";
import test from "node:test";

import { receipt, total } from "../src/format.js";
import { show } from "../src/money.js";

test("money is shown with two decimals", () => {
  assert.equal(show(505), "5.05");
});

test("thousands are parted", () => {
  assert.equal(show(123456789), "1,234,567.89");
});

test("the total adds up", () => {
  assert.equal(total([{ name: "a", quantity: 2, cents: 40 }, { name: "b", quantity: 1, cents: 5 }]), 85);
});

test("a receipt ends with the total", () => {
  const entries = [{ name: "apple", quantity: 2, cents: 40 }];
  assert.equal(receipt({ entries, refused: [] }), "2 apple 0.80\ntotal 0.80\n");
});
