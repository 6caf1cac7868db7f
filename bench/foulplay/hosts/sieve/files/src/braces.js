/** List the patterns that one with braces stands for. */
export function expand(pattern) {
  if (!/[{}]/.test(pattern)) return [pattern];
  throw new Error("not implemented");
}
