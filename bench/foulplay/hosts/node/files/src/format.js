import { show } from "./money.js";

export function total(entries) {
  return entries.reduce((sum, entry) => sum + entry.quantity * entry.cents, 0);
}

export function receipt({ entries, refused }) {
  const lines = entries.map((entry) => `${entry.quantity} ${entry.name} ${show(entry.quantity * entry.cents)}`);
  const bad = refused.map((line) => `line ${line.line}: ${line.reason}`);
  return [...lines, `total ${show(total(entries))}`, ...bad].join("\n") + "\n";
}
