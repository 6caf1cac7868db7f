import { type Params, PatternError, read, type Segment } from "./pattern.ts";

/** The path of a pattern with these parameters. */
export function build(pattern: string, params: Params): string {
  return "/" + read(pattern).flatMap((segment) => made(segment, params)).join("/");
}

function made(segment: Segment, params: Params): string[] {
  if (segment.kind === "plain") return [segment.text];
  const value = params[segment.text];
  if (value === undefined) {
    if (segment.optional) return [];
    throw new PatternError(`no value for '${segment.text}'`);
  }
  const text = String(value);
  if (segment.kind === "rest") return text.split("/").map(encodeURIComponent);
  if (segment.kind === "int" && !/^\d+$/.test(text)) throw new PatternError(`not a whole number: '${text}'`);
  return [encodeURIComponent(text)];
}
