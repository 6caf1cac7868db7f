/** List the files below a folder that match one of the patterns. */
export async function walk(folder, patterns, options = {}) {
  throw new Error("not implemented");
}
