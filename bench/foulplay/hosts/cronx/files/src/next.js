/** Tell whether an expression names this minute. */
export function matches(expression, iso) {
  throw new Error("not implemented");
}

/** Give the first minute after a time that an expression names, as an ISO text. */
export function nextAfter(expression, iso) {
  throw new Error("not implemented");
}
