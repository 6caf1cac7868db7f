#!/usr/bin/env node
import { parse } from "../src/index.js";

const [command, expression] = process.argv.slice(2);
try {
  if (command === "show") {
    for (const [name, values] of Object.entries(parse(expression ?? ""))) {
      console.log(`${name}: ${values.join(",")}`);
    }
  } else {
    throw new Error(`no such command: ${command}`);
  }
} catch (error) {
  console.error(`cronx: ${error.message}`);
  process.exitCode = 2;
}
