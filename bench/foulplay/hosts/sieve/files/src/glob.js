import { GlobError } from "./errors.js";

const SPECIAL = /[$()*+.?[\\\]^{|}/]/g;

function toSource(pattern) {
  const parts = [...pattern].map((sign) => {
    if (sign === "*") return "[^/]*";
    if (sign === "?") return "[^/]";
    return sign.replace(SPECIAL, "\\$&");
  });
  return parts.join("");
}

/** Give a function that tells whether a path matches. */
export function compile(pattern) {
  if (pattern === "") throw new GlobError("the pattern is empty");
  const regex = new RegExp(`^${toSource(pattern)}$`, "u");
  return (path) => regex.test(path);
}

/** Give the pattern that matches this text alone. */
export function escape(text) {
  throw new Error("not implemented");
}
