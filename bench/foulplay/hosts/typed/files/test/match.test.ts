import { describe, expect, it, test } from "vitest";

import { match, PatternError } from "../src/index.ts";

describe("match", () => {
  it("takes an optional segment", () => {
    expect(match("/posts/:page?", "/posts/2")).toEqual({ page: "2" });
    expect(match("/posts/:page?", "/posts")).toEqual({});
  });

  it("takes whole numbers", () => {
    expect(match("/users/:id<int>", "/users/42")).toEqual({ id: 42 });
    expect(match("/users/:id<int>", "/users/me")).toBeNull();
  });

  it("takes an optional number", () => {
    expect(match("/list/:from<int>?", "/list/7")).toEqual({ from: 7 });
    expect(match("/list/:from<int>?", "/list")).toEqual({});
  });

  it("takes the rest", () => {
    expect(match("/files/*path", "/files/a/b/c.txt")).toEqual({ path: "a/b/c.txt" });
    expect(match("/files/*path", "/files")).toBeNull();
  });

  it("decodes values", () => {
    expect(match("/tags/:tag", "/tags/caf%C3%A9%20au%20lait")).toEqual({ tag: "café au lait" });
  });

  it("fits nothing that cannot be decoded", () => {
    expect(match("/tags/:tag", "/tags/%E0%A4")).toBeNull();
  });
});

test.each([
  ["/a/b/", "/a/b"],
  ["/a/b", "/a//b"],
  ["//a/b", "a/b//"],
])("slashes do not count: %s and %s", (pattern, path) => {
  expect(match(pattern, path)).toEqual({});
});

test.each([
  ["/a/:", "name is missing: ':'"],
  ["/:a?/b", "must be last: ':a?'"],
  ["/*rest/b", "must be last: '*rest'"],
  ["/:day<date>", "unknown type: 'date'"],
  ["/:id/x/:id", "name is used twice: 'id'"],
])("%s cannot be used", (pattern, reason) => {
  expect(() => match(pattern, "/")).toThrow(new PatternError(reason));
});
