import { nextAfter } from "./next.js";
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
    const found = [];
    for (const [name, expression] of this.#jobs) {
      let at = nextAfter(expression, from);
      while (at !== null && Date.parse(at) <= Date.parse(to)) {
        found.push([at, name]);
        at = nextAfter(expression, at);
      }
    }
    return found.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1));
  }
}
