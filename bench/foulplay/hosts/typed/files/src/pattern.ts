/** The segments of a pattern. */

export type Value = string | number;
export type Params = Record<string, Value>;

export interface Segment {
  readonly kind: "plain" | "name";
  readonly text: string;
}

export class PatternError extends Error {
  override readonly name = "PatternError";
}

export function split(path: string): string[] {
  return path.replace(/^\//, "").split("/");
}

export function read(pattern: string): Segment[] {
  return split(pattern).map((text) =>
    text.startsWith(":") ? { kind: "name", text: text.slice(1) } : { kind: "plain", text },
  );
}
