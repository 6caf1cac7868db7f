#!/usr/bin/env node
import { nextAfter, parse } from "../src/index.js";

const [command, expression, from, count = "1"] = process.argv.slice(2);
try {
  if (command === "show") {
    for (const [name, values] of Object.entries(parse(expression ?? ""))) {
      console.log(`${name}: ${values.join(",")}`);
    }
  } else if (command === "next") {
    let at = from;
    for (let n = 0; n < Number(count) && at !== null; n += 1) {
      at = nextAfter(expression, at);
      if (at !== null) console.log(at);
    }
  } else {
    throw new Error(`no such command: ${command}`);
  }
} catch (error) {
  console.error(`cronx: ${error.message}`);
  process.exitCode = 2;
}
