export { parse, CronError } from "./parse.js";
export { nextAfter, matches } from "./next.js";
export { Agenda } from "./agenda.js";
