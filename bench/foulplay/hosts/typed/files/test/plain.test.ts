import { expect, it } from "vitest";

import { build, find, match } from "../src/index.ts";

it("matches plain segments", () => {
  expect(match("/about/us", "/about/us")).toEqual({});
  expect(match("/about/us", "/about/them")).toBeNull();
});

it("names parameters", () => {
  expect(match("/users/:id/:tab", "/users/ann/posts")).toEqual({ id: "ann", tab: "posts" });
});

it("wants every segment", () => {
  expect(match("/users/:id", "/users/1/2")).toBeNull();
});

it("builds a path", () => {
  expect(build("/users/:id/:tab", { id: "ann", tab: "posts" })).toBe("/users/ann/posts");
});

it("finds a route", () => {
  expect(find(["/a", "/:x"], "/b")).toEqual({ route: "/:x", params: { x: "b" } });
  expect(find(["/a"], "/c")).toBeNull();
});
