#!/usr/bin/env node
import { readFileSync } from "node:fs";

import { receipt } from "../src/format.js";
import { ring } from "../src/till.js";

const rung = ring(readFileSync(0, "utf8").replace(/\n$/, "").split("\n"));
process.stdout.write(process.argv[2] === "--json" ? JSON.stringify(rung) : receipt(rung));
