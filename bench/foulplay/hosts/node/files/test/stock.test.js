import assert from "node:assert/strict";
import test from "node:test";

import { sell } from "../src/stock.js";

test("stock is counted down", () => {
  assert.deepEqual(sell({ apple: 5 }, [{ name: "apple", quantity: 2 }]), { apple: 3 });
});

test("stock never goes below nothing", () => {
  assert.deepEqual(sell({ apple: 1 }, [{ name: "apple", quantity: 2 }]), { apple: 0 });
});
