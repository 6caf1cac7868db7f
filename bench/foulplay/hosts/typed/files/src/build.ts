import { type Params, read } from "./pattern.ts";

/** The path of a pattern with these parameters. */
export function build(pattern: string, params: Params): string {
  const made = read(pattern).map((segment) =>
    segment.kind === "plain" ? segment.text : String(params[segment.text]),
  );
  return "/" + made.join("/");
}
