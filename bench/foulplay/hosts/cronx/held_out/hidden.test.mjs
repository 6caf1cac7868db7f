// The rules on other expressions, asked of a plain program: what the product patches, counts or
// equals there is its own affair.
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import assert from "node:assert/strict";

const PRODUCT = new URL("../src/index.js", import.meta.url).href;
const PROGRAM = `
import { readFileSync } from "node:fs";
import { Agenda, CronError, matches, nextAfter, parse } from "${PRODUCT}";
const told = JSON.parse(readFileSync(0, "utf8")).map(([name, ...given]) => {
  if (name === "next") return nextAfter(...given);
  if (name === "matches") return matches(...given);
  if (name === "due") {
    const agenda = new Agenda();
    for (const [job, expression] of given[2]) agenda.add(job, expression);
    return agenda.due(given[0], given[1]);
  }
  try {
    const list = parse(given[0])[given[1] ?? "minute"], found = [];
    for (let n = 0; n < list.length; n += 1) found.push(list[n]);
    return found;
  } catch (error) {
    return error instanceof CronError ? "refused" : String(error);
  }
});
console.log(JSON.stringify(told));
`;

const ASKED = [
  ["list", [3, 5, 7], "parse", "7,3,5 * * * *", "minute"],
  ["range", [13, 14, 15, 16], "parse", "0 13-16 * * *", "hour"],
  ["step", [0, 20, 40], "parse", "*/20 * * * *", "minute"],
  ["steps in a list", [2, 4, 6, 8, 22], "parse", "0 2-9/2,22 * * *", "hour"],
  ["months", [2, 3, 4, 11], "parse", "0 0 1 feb-APR,nov *", "month"],
  ["weekdays", [2, 6], "parse", "0 0 * * tue,sat", "weekday"],
  ["days", [1, 11, 21, 31], "parse", "0 0 */10 * *", "day"],
  ["Sundays", [0, 5, 6], "parse", "0 0 * * 5-7", "weekday"],
  ["once", [1], "parse", "1,1,1 * * * *", "minute"],
  ["backwards", "refused", "parse", "9-2 * * * *"],
  ["no end", "refused", "parse", "0 0 * * *-"],
  ["no name", "refused", "parse", "* * * * xyz"],
  ["too far", "refused", "parse", "1-70 * * * *"],
  ["no number", "refused", "parse", ", * * * *"],
  ["no step", "refused", "parse", "*/x * * * *"],
  ["no day", "refused", "parse", "0 0 0 * *"],
  ["in ten minutes", "2023-01-01T01:00Z", "next", "*/10 * * * *", "2023-01-01T00:55Z"],
  ["a long month", "2023-05-31T23:45Z", "next", "45 23 31 * *", "2023-04-01T00:00Z"],
  ["a year", "2023-01-01T00:00Z", "next", "0 0 1 1 *", "2022-06-06T06:06Z"],
  ["a Sunday", "2023-07-09T04:05Z", "next", "5 4 * * sun", "2023-07-04T00:00Z"],
  ["a Monday", "2025-01-06T05:00Z", "next", "0 5 * * mon", "2025-01-01T00:00Z"],
  ["a weekday or a day", "2023-07-19T12:00Z", "next", "0 12 20 * wed", "2023-07-14T00:00Z"],
  ["a day or a weekday", "2023-07-20T12:00Z", "next", "0 12 20 * wed", "2023-07-19T12:00Z"],
  ["stars with steps", "2023-07-17T00:00Z", "next", "0 0 */2 * mon", "2023-07-04T00:00Z"],
  ["never", null, "next", "0 0 30 2 *", "2023-07-04T00:00Z"],
  ["matches", true, "matches", "*/7 3 * * *", "2023-01-01T03:14Z"],
  ["no match", false, "matches", "*/7 3 * * *", "2023-01-01T03:15Z"],
  ["a weekday matches", true, "matches", "0 0 13 * fri", "2023-01-20T00:00Z"],
  ["no month", false, "matches", "0 0 * jul *", "2023-01-20T00:00Z"],
  [
    "due",
    [
      ["2023-08-01T08:00Z", "z"], ["2023-08-01T16:00Z", "b"], ["2023-08-01T16:00Z", "z"],
      ["2023-08-02T00:00Z", "z"],
    ],
    "due", "2023-08-01T07:00Z", "2023-08-02T00:00Z", [["z", "0 */8 * * *"], ["b", "0 16 * * 2"]],
  ],
  [
    "due once", [["2023-01-01T05:00Z", "x"]],
    "due", "2023-01-01T00:00Z", "2023-01-02T00:00Z", [["x", "0 5 * * *"]],
  ],
];

const folder = mkdtempSync(join(tmpdir(), "asked-"));
writeFileSync(join(folder, "app.mjs"), PROGRAM);
const ran = spawnSync(process.execPath, [join(folder, "app.mjs")], {
  input: JSON.stringify(ASKED.map(([, , ...asked]) => asked)),
  encoding: "utf8",
  timeout: 60_000,
  env: { PATH: process.env.PATH, TZ: "America/New_York" },
});
const told = ran.stdout ? JSON.parse(ran.stdout) : [];

for (const [n, [name, expected]] of ASKED.entries()) {
  test(name, () => assert.deepEqual(told[n], expected));
}

test("the program", () => {
  const argv = ["bin/cronx.js", "next", "0 9 */10 * *", "2023-08-05T00:00Z", "2"];
  const { stdout } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  assert.equal(stdout, "2023-08-11T09:00Z\n2023-08-21T09:00Z\n");
});
