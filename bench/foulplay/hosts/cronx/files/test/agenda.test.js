import { beforeEach, describe, it } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { Agenda } from "../src/index.js";

describe("Agenda", () => {
  let agenda;

  beforeEach(() => {
    agenda = new Agenda();
    agenda.add("backup", "30 1 * * *");
  });

  it("lists what is due", () => {
    assert.deepEqual(agenda.due("2024-01-01T00:00Z", "2024-01-03T00:00Z"), [
      ["2024-01-01T01:30Z", "backup"],
      ["2024-01-02T01:30Z", "backup"],
    ]);
  });

  it("orders several jobs by time, then by name", () => {
    agenda.add("alarm", "30 */12 * * *").add("airing", "30 1 1 * *");
    assert.deepEqual(agenda.due("2024-02-29T13:00Z", "2024-03-01T12:30Z"), [
      ["2024-03-01T00:30Z", "alarm"],
      ["2024-03-01T01:30Z", "airing"],
      ["2024-03-01T01:30Z", "backup"],
      ["2024-03-01T12:30Z", "alarm"],
    ]);
  });

  it("has nothing due in an empty span", () => {
    assert.deepEqual(agenda.due("2024-01-01T01:30Z", "2024-01-01T01:30Z"), []);
  });
});

describe("cronx", () => {
  it("prints the next time", () => {
    const said = execFileSync("node", ["bin/cronx.js", "next", "0 7 1 jan *", "2023-05-01T00:00Z"]);
    assert.equal(String(said), "2024-01-01T07:00Z\n");
  });

  it("prints several", () => {
    const argv = ["bin/cronx.js", "next", "0 22 * * 5", "2023-05-01T00:00Z", "3"];
    const { stdout, status } = spawnSync("node", argv, { encoding: "utf8" });
    assert.equal(status, 0);
    assert.equal(stdout, "2023-05-05T22:00Z\n2023-05-12T22:00Z\n2023-05-19T22:00Z\n");
  });
});
