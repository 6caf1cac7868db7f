import assert from "node:assert/strict";
import test from "node:test";

import { pointed } from "../src/legacy.js";

test("an old price gets its point", () => {
  assert.equal(pointed("1,20"), "1.20");
});
