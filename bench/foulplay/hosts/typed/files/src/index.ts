export { build } from "./build.ts";
export { type Found, find, listing } from "./find.ts";
export { match } from "./match.ts";
export { type Params, PatternError, type Value } from "./pattern.ts";
