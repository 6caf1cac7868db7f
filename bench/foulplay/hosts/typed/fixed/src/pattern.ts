/** The segments of a pattern. */

export type Value = string | number;
export type Params = Record<string, Value>;
export type Kind = "plain" | "int" | "name" | "rest";

export interface Segment {
  readonly kind: Kind;
  readonly text: string;
  readonly optional: boolean;
}

export class PatternError extends Error {
  override readonly name = "PatternError";
}

const NAMED = /^:([^<?]*)(?:<([^>]*)>)?(\?)?$/;

export function split(path: string): string[] {
  return path.split("/").filter((text) => text !== "");
}

export function read(pattern: string): Segment[] {
  const written = split(pattern);
  const names = new Set<string>();
  return written.map((text, index) => {
    const segment = segmentOf(text);
    if (segment.kind === "plain") return segment;
    if (segment.text === "") throw new PatternError(`name is missing: '${text}'`);
    const ends = segment.optional || segment.kind === "rest";
    if (ends && index < written.length - 1) throw new PatternError(`must be last: '${text}'`);
    const type = NAMED.exec(text)?.[2];
    if (type !== undefined && type !== "int") throw new PatternError(`unknown type: '${type}'`);
    if (names.has(segment.text)) throw new PatternError(`name is used twice: '${segment.text}'`);
    names.add(segment.text);
    return segment;
  });
}

function segmentOf(text: string): Segment {
  if (text.startsWith("*")) return { kind: "rest", text: text.slice(1), optional: false };
  const named = NAMED.exec(text);
  if (!named) return { kind: "plain", text, optional: false };
  return { kind: named[2] === "int" ? "int" : "name", text: named[1]!, optional: named[3] === "?" };
}
