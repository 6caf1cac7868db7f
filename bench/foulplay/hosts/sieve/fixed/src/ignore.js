import { compile } from "./glob.js";

function readRule(line) {
  const isTakenBack = line.startsWith("!");
  const rule = isTakenBack ? line.slice(1) : line;
  const isForFolders = rule.endsWith("/");
  const pattern = isForFolders ? rule.slice(0, -1) : rule;
  const fromRoot = pattern.includes("/") ? pattern.replace(/^\//, "") : `**/${pattern}`;
  return { isTakenBack, isForFolders, matches: compile(fromRoot, { dot: true }) };
}

/** Rules for what to ignore, as in .gitignore. */
export class Ignore {
  #rules = [];

  /** Add the rules of a text, one to a line. */
  add(text) {
    for (const line of text.split("\n").map((each) => each.trimEnd())) {
      if (line !== "" && !line.startsWith("#")) this.#rules.push(readRule(line));
    }
    return this;
  }

  get size() {
    return this.#rules.length;
  }

  /** Tell whether the rules ignore a path; a folder has a slash at its end. */
  ignores(path) {
    const names = path.split("/").filter((name) => name !== "");
    return names.some((_, n) => {
      const isFolder = n < names.length - 1 || path.endsWith("/");
      return this.#isNamed(names.slice(0, n + 1).join("/"), isFolder);
    });
  }

  #isNamed(path, isFolder) {
    const last = this.#rules.findLast(
      (rule) => (isFolder || !rule.isForFolders) && rule.matches(path),
    );
    return last !== undefined && !last.isTakenBack;
  }
}
