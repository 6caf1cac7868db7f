import assert from "node:assert/strict";
import test from "node:test";

import { ring } from "../src/till.js";

test("nothing is not bought", () => {
  assert.deepEqual(ring(["0 x tea @ 1.00"]).entries, []);
});
