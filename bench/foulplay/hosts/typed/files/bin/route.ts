/** Answers questions from standard input, one JSON list each line: a function and its arguments. */
import { readFileSync } from "node:fs";

import { build, find, listing, match, PatternError } from "../src/index.ts";

const known = { build, find, listing, match } as Record<string, (...given: any[]) => unknown>;

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [name, ...given] = JSON.parse(line);
  try {
    console.log(JSON.stringify(known[name]!(...given)));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    console.log(JSON.stringify({ error: error.message }));
  }
}
