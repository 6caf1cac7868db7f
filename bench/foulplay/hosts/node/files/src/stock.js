/** What is left of each item, by name, once the entries are sold. */
export function sell(stock, entries) {
  const left = { ...stock };
  for (const { name, quantity } of entries) {
    left[name] = Math.max(0, (left[name] ?? 0) - quantity);
  }
  return Object.fromEntries(Object.entries(left).sort());
}
