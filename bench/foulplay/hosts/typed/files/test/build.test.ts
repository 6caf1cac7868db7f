import { describe, expect, it } from "vitest";

import { build, PatternError } from "../src/index.ts";

describe("build", () => {
  it("encodes values", () => {
    expect(build("/tags/:tag", { tag: "a b/c" })).toBe("/tags/a%20b%2Fc");
  });

  it("encodes the rest segment by segment", () => {
    expect(build("/files/*path", { path: "my docs/a&b.txt" })).toBe("/files/my%20docs/a%26b.txt");
  });

  it("may leave out what is optional", () => {
    expect(build("/posts/:page?", {})).toBe("/posts");
    expect(build("/posts/:page<int>?", { page: 3 })).toBe("/posts/3");
  });

  it("asks for values", () => {
    expect(() => build("/users/:id", {})).toThrow(new PatternError("no value for 'id'"));
  });

  it("asks for whole numbers", () => {
    expect(() => build("/users/:id<int>", { id: 1.5 })).toThrow(PatternError);
    expect(() => build("/users/:id<int>", { id: "x" })).toThrow("not a whole number: 'x'");
  });
});
