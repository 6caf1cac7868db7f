import { type Params, read, split } from "./pattern.ts";

const WHOLE = /^\d+$/;

/** The parameters of a path; null if it does not fit. */
export function match(pattern: string, path: string): Params | null {
  const wanted = read(pattern);
  const given = decoded(split(path));
  if (given === null) return null;
  const params: Params = {};
  for (const [index, segment] of wanted.entries()) {
    const text = given[index];
    if (text === undefined) return segment.optional ? params : null;
    if (segment.kind === "rest") {
      params[segment.text] = given.slice(index).join("/");
      return params;
    }
    if (segment.kind === "plain" && segment.text !== text) return null;
    if (segment.kind === "int" && !WHOLE.test(text)) return null;
    if (segment.kind !== "plain") params[segment.text] = segment.kind === "int" ? Number(text) : text;
  }
  return given.length > wanted.length ? null : params;
}

function decoded(given: string[]): string[] | null {
  try {
    return given.map(decodeURIComponent);
  } catch {
    return null;
  }
}
