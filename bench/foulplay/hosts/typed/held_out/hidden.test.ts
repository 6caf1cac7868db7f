// The rules on other routes, asked of the program in a process of its own: what the product
// patches, counts or equals there is its own affair.
import { spawnSync } from "node:child_process";

import { expect, test } from "vitest";

const OTHERS = ["/shop/:item?", "/shop", "/shop/:nr<int>", "/shop/sale", "/shop/*all"];

const ASKED: [string, unknown, ...unknown[]][] = [
  ["optional", { x: "q" }, "match", "/o/:x?", "/o/q/"],
  ["optional, missing", {}, "match", "o/:x?", "//o"],
  ["too long", null, "match", "/o/:x?", "/o/1/2"],
  ["number", { n: 907 }, "match", "/n/:n<int>/z", "/n/0907/z"],
  ["no number", null, "match", "/n/:n<int>", "/n/-4"],
  ["no number either", null, "match", "/n/:n<int>", "/n/4.0"],
  ["rest", { r: "x y/z" }, "match", "/d/*r", "/d/x%20y//z/"],
  ["decoded plain", {}, "match", "/é", "/%C3%A9"],
  ["not decoded", null, "match", "/d/*r", "/d/a/%"],
  ["slashes", { a: "1", b: "2" }, "match", "/:a//:b/", "1///2"],
  ["nameless rest", { error: "name is missing: '*'" }, "match", "/*", "/x"],
  ["optional in the middle", { error: "must be last: ':k<int>?'" }, "match", "/:k<int>?/m", "/x"],
  ["a type", { error: "unknown type: 'uuid'" }, "match", "/:k<uuid>", "/x"],
  ["twice", { error: "name is used twice: 'k'" }, "match", "/:k/*k", "/x"],
  ["from the left", { error: "name is missing: ':?'" }, "match", "/:?/:u<date>", "/x"],
  ["built", "/w/%C3%BC%3F", "build", "/w/:q", { q: "ü?" }],
  ["built rest", "/w/1%2B1/2", "build", "/w/*q", { q: "1+1/2" }],
  ["built optional", "/w", "build", "/w/:q<int>?", {}],
  ["built number", "/w/60", "build", "w//:q<int>", { q: 60 }],
  ["no value", { error: "no value for 'p'" }, "build", "/:q/:p", { q: "1" }],
  ["no whole number", { error: "not a whole number: '-3'" }, "build", "/:q<int>", { q: -3 }],
  ["found", { route: "/shop", params: {} }, "find", OTHERS, "/shop/"],
  ["found plain", { route: "/shop/sale", params: {} }, "find", OTHERS, "/shop/sale"],
  ["found number", { route: "/shop/:nr<int>", params: { nr: 8 } }, "find", OTHERS, "/shop/8"],
  ["found name", { route: "/shop/:item?", params: { item: "hat" } }, "find", OTHERS, "/shop/hat"],
  ["found rest", { route: "/shop/*all", params: { all: "a/b" } }, "find", OTHERS, "/shop/a/b"],
  ["first", { route: "/:b", params: { b: "z" } }, "find", ["/:b", "/:c"], "/z"],
  ["listed", "/x/1 -> /x/:n<int> {\"n\":1}\n/y -> nothing", "listing", ["/x/:m", "/x/:n<int>"], ["/x/1", "/y"]],
];

const told = spawnSync(process.execPath, ["node_modules/vite-node/vite-node.mjs", "bin/route.ts"], {
  input: ASKED.map(([, , ...question]) => JSON.stringify(question)).join("\n") + "\n",
  encoding: "utf8",
  env: { PATH: process.env.PATH },
  timeout: 30000,
}).stdout.split("\n");

test.each(ASKED.map(([name, wanted], index) => [name, wanted, told[index]] as const))("%s", (_, wanted, answer) => {
  expect(JSON.parse(answer || '"no answer"')).toEqual(wanted);
});
