import { expand } from "./braces.js";
import { GlobError } from "./errors.js";

const SPECIAL = /[$()*+.?[\\\]^{|}/]/g;
const VISIBLE = "(?!\\.)";

const quote = (sign) => sign.replace(SPECIAL, "\\$&");

function readClass(segment, opening) {
  const isNegated = segment[opening + 1] === "!";
  let at = opening + (isNegated ? 2 : 1);
  let inner = "";
  for (const first = at; at < segment.length; at += 1) {
    if (segment[at] === "]" && at > first) {
      return { source: `${isNegated ? "[^/" : "["}${inner}]`, closing: at };
    }
    if (segment[at] === "\\") {
      at += 1;
      inner += segment[at] === "-" ? "\\-" : quote(segment[at] ?? "");
    } else inner += segment[at] === "-" ? "-" : quote(segment[at]);
  }
  throw new GlobError(`a class has no end: ${segment}`);
}

function readSegment(segment, dot) {
  let source = !dot && /^[*?[]/.test(segment) ? VISIBLE : "";
  if (/^\*+$/.test(segment)) return `${source}[^/]+`;
  for (let at = 0; at < segment.length; at += 1) {
    const sign = segment[at];
    if (sign === "*") source += "[^/]*";
    else if (sign === "?") source += "[^/]";
    else if (sign === "]") throw new GlobError(`a class has no beginning: ${segment}`);
    else if (sign === "[") {
      const found = readClass(segment, at);
      source += found.source;
      at = found.closing;
    } else if (sign === "\\") {
      at += 1;
      if (at === segment.length) throw new GlobError(`a backslash at the end: ${segment}`);
      source += quote(segment[at]);
    } else source += quote(sign);
  }
  return source;
}

function toSource(pattern, dot) {
  const segments = pattern.split("/");
  const any = `${dot ? "" : VISIBLE}[^/]+`;
  const parts = segments.map((segment, n) => {
    const isLast = n === segments.length - 1;
    if (segment === "**") return isLast ? `${any}(?:/${any})*` : `(?:${any}/)*`;
    return readSegment(segment, dot) + (isLast ? "" : "/");
  });
  return parts.join("");
}

/** Give a function that tells whether a path matches. */
export function compile(pattern, { dot = false, nocase = false } = {}) {
  if (pattern === "") throw new GlobError("the pattern is empty");
  const sources = expand(pattern).map((each) => toSource(each, dot));
  try {
    const regex = new RegExp(`^(?:${sources.join("|")})$`, nocase ? "iu" : "u");
    return (path) => regex.test(path);
  } catch {
    throw new GlobError(`a range goes downwards: ${pattern}`);
  }
}

/** Give the pattern that matches this text alone. */
export function escape(text) {
  return text.replace(/[\\*?[\]{}]/g, "\\$&");
}
