import { parse } from "./parse.js";

/** Jobs by name, each with its expression. */
export class Agenda {
  #jobs = new Map();

  add(name, expression) {
    parse(expression);
    this.#jobs.set(name, expression);
    return this;
  }

  names() {
    return [...this.#jobs.keys()].sort();
  }

  /** List what is due after `from` and until `to`: pairs of time and name, in order. */
  due(from, to) {
    throw new Error("not implemented");
  }
}
