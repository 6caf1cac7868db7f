#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, expand, Ignore, walk } from "../src/index.js";

const [command, ...given] = process.argv.slice(2);
try {
  if (command === "match") {
    const [pattern, ...paths] = given;
    const found = paths.filter(compile(pattern ?? ""));
    for (const path of found) console.log(path);
    if (found.length === 0) process.exitCode = 1;
  } else if (command === "expand") {
    for (const each of expand(given[0] ?? "")) console.log(each);
  } else if (command === "list") {
    const [folder = ".", ...patterns] = given;
    const rules = join(folder, ".sieveignore");
    const ignore = new Ignore().add(existsSync(rules) ? readFileSync(rules, "utf8") : "");
    for (const path of await walk(folder, patterns, { ignore })) console.log(path);
  } else {
    throw new Error(`no such command: ${command}`);
  }
} catch (error) {
  console.error(`sieve: ${error.message}`);
  process.exitCode = 2;
}
