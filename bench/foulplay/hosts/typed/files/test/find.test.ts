import { expect, it } from "vitest";

import { find, listing } from "../src/index.ts";

const ROUTES = ["/*path", "/:page", "/users/:name", "/users/:id<int>", "/users/new", "/users", "/users/:id<int>/:tab?"];

it("takes the most specific route", () => {
  expect(find(ROUTES, "/users/new")?.route).toBe("/users/new");
  expect(find(ROUTES, "/users/12")?.route).toBe("/users/:id<int>");
  expect(find(ROUTES, "/users/ann")?.route).toBe("/users/:name");
});

it("takes the rest last", () => {
  expect(find(ROUTES, "/about/us")).toEqual({ route: "/*path", params: { path: "about/us" } });
});

it("lists what paths lead to", () => {
  const paths = ["/users", "/users/12/", "/users/12/posts", "/about", "/users/ann/posts", "/"];
  expect(listing(ROUTES, paths)).toMatchSnapshot();
});
