export { GlobError } from "./errors.js";
export { expand } from "./braces.js";
export { compile, escape } from "./glob.js";
export { Ignore } from "./ignore.js";
export { walk } from "./walk.js";
