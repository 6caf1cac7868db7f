export class CronError extends Error {}

export const FIELDS = [
  { name: "minute", low: 0, high: 59 },
  { name: "hour", low: 0, high: 23 },
  { name: "day", low: 1, high: 31 },
  { name: "month", low: 1, high: 12 },
  { name: "weekday", low: 0, high: 6 },
];

function parseField(text, { name, low, high }) {
  if (text === "*") {
    return Array.from({ length: high - low + 1 }, (_, n) => low + n);
  }
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < low || value > high) {
    throw new CronError(`${name}: ${text}`);
  }
  return [value];
}

/** Read an expression: for each field the values that it stands for. */
export function parse(text) {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    throw new CronError(`five fields, not ${parts.length}`);
  }
  return Object.fromEntries(FIELDS.map((field, n) => [field.name, parseField(parts[n], field)]));
}
