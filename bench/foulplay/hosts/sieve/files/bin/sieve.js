#!/usr/bin/env node
import { compile } from "../src/index.js";

const [command, ...given] = process.argv.slice(2);
try {
  if (command === "match") {
    const [pattern, ...paths] = given;
    const found = paths.filter(compile(pattern ?? ""));
    for (const path of found) console.log(path);
    if (found.length === 0) process.exitCode = 1;
  } else {
    throw new Error(`no such command: ${command}`);
  }
} catch (error) {
  console.error(`sieve: ${error.message}`);
  process.exitCode = 2;
}
