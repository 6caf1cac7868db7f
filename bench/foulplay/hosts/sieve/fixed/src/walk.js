import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { GlobError } from "./errors.js";
import { compile } from "./glob.js";
import { Ignore } from "./ignore.js";

/** List the files below a folder that match one of the patterns. */
export async function walk(folder, patterns, { ignore = new Ignore(), dot = false } = {}) {
  const matchers = [patterns].flat().map((pattern) => compile(pattern, { dot }));
  const found = [];

  async function visit(place) {
    for (const entry of await readdir(join(folder, place), { withFileTypes: true })) {
      const path = place === "" ? entry.name : `${place}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!ignore.ignores(`${path}/`)) await visit(path);
      } else if (!ignore.ignores(path) && matchers.some((matches) => matches(path))) {
        found.push(path);
      }
    }
  }

  try {
    await visit("");
  } catch (error) {
    throw error.code === "ENOENT" ? new GlobError(`no such folder: ${folder}`) : error;
  }
  return found.sort();
}
