import { type Params, read, split } from "./pattern.ts";

/** The parameters of a path; null if it does not fit. */
export function match(pattern: string, path: string): Params | null {
  const wanted = read(pattern);
  const given = split(path);
  if (wanted.length !== given.length) return null;
  const params: Params = {};
  for (const [index, segment] of wanted.entries()) {
    const text = given[index]!;
    if (segment.kind === "plain" && segment.text !== text) return null;
    if (segment.kind === "name") params[segment.text] = text;
  }
  return params;
}
