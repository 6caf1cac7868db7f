// The rules on other baskets, asked of the program in a process of its own: what the product
// patches, counts or equals there is its own affair.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";

function till(lines, ...options) {
  const { PATH } = process.env;
  const told = spawnSync(process.execPath, ["bin/till.js", ...options], { input: lines.join("\n") + "\n", encoding: "utf8", env: { PATH }, timeout: 20000 });
  return told.stdout;
}

const ring = (...lines) => JSON.parse(till(lines, "--json"));

test("quoted names with anything in them", () => {
  assert.deepEqual(ring('4 x "a @ b x c" @ 2.50', '"d, e" @ 10').entries, [
    { name: "a @ b x c", quantity: 4, cents: 250 },
    { name: "d, e", quantity: 1, cents: 1000 },
  ]);
});

test("half cents, and what only looks like one", () => {
  const { entries } = ring("p @ 1.005", "q @ 1.015", "r @ 1.00500001", "s @ 0.29", "t @ 4.9950");
  assert.deepEqual(entries.map((entry) => entry.cents), [100, 102, 101, 29, 500]);
});

test("each bad line has its own reason", () => {
  assert.deepEqual(ring("soap", '3 x "soap @ 1.00', "1.5 x soap @ 2.00", "soap @ 1,00", "2 x @ 3.00").refused, [
    { line: 1, reason: "no price" },
    { line: 2, reason: "quote is not closed" },
    { line: 3, reason: "quantity is not a number: '1.5'" },
    { line: 4, reason: "price is not a number: '1,00'" },
    { line: 5, reason: "no name" },
  ]);
});

test("the first reason that applies", () => {
  assert.deepEqual(ring("some x soap", "some x soap @ cheap").refused, [
    { line: 1, reason: "no price" },
    { line: 2, reason: "quantity is not a number: 'some'" },
  ]);
});

test("one name at two prices is two entries", () => {
  assert.deepEqual(ring("tea @ 1.00", "2 x tea @ 1.10", '"tea" @ 1.001').entries, [
    { name: "tea", quantity: 2, cents: 100 },
    { name: "tea", quantity: 2, cents: 110 },
  ]);
});

test("a quantity below one is refused", () => {
  assert.deepEqual(ring("0 x tea @ 1.00", "-2 x tea @ 1.00", "1 x tea @ 1.00"), {
    entries: [{ name: "tea", quantity: 1, cents: 100 }],
    refused: [
      { line: 1, reason: "quantity must be at least 1" },
      { line: 2, reason: "quantity must be at least 1" },
    ],
  });
});

test("the receipt of a mixed basket", () => {
  assert.equal(till(["12 x desk @ 199.995", "lamp", "desk @ 199.995"]), "13 desk 2,600.00\ntotal 2,600.00\nline 2: no price\n");
});
