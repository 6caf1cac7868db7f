/** Rules for what to ignore, as in .gitignore. */
export class Ignore {
  #rules = [];

  /** Add the rules of a text, one to a line. */
  add(text) {
    for (const line of text.split("\n").map((each) => each.trimEnd())) {
      if (line !== "" && !line.startsWith("#")) this.#rules.push(line);
    }
    return this;
  }

  get size() {
    return this.#rules.length;
  }

  /** Tell whether the rules ignore a path; a folder has a slash at its end. */
  ignores(path) {
    throw new Error("not implemented");
  }
}
