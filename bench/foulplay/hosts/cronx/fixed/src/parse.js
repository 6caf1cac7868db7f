export class CronError extends Error {}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export const FIELDS = [
  { name: "minute", low: 0, high: 59 },
  { name: "hour", low: 0, high: 23 },
  { name: "day", low: 1, high: 31 },
  { name: "month", low: 1, high: 12, words: MONTHS },
  { name: "weekday", low: 0, high: 7, words: WEEKDAYS },
];

function readValue(text, { name, low, high, words = [] }) {
  const at = words.indexOf(text.toLowerCase());
  const value = at < 0 ? Number(text) : at + low;
  if ((at < 0 && !/^\d+$/.test(text)) || value < low || value > high) {
    throw new CronError(`${name}: ${text}`);
  }
  return value;
}

function parsePart(text, field) {
  const found = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(text);
  if (!found) throw new CronError(`${field.name}: ${text}`);
  const [, star, first, last, by] = found;
  const step = Number(by ?? 1);
  if (step === 0 || (by && !star && !last)) throw new CronError(`${field.name}: ${text}`);
  const top = field.name === "weekday" ? 6 : field.high;
  const from = star ? field.low : readValue(first, field);
  const to = star ? top : last ? readValue(last, field) : from;
  if (to < from) throw new CronError(`${field.name}: ${text}`);
  const values = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

function parseField(text, field) {
  const values = text.split(",").flatMap((part) => parsePart(part, field));
  const own = field.name === "weekday" ? values.map((value) => value % 7) : values;
  return [...new Set(own)].sort((a, b) => a - b);
}

/** Read an expression: for each field the values that it stands for. */
export function parse(text) {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    throw new CronError(`five fields, not ${parts.length}`);
  }
  return Object.fromEntries(FIELDS.map((field, n) => [field.name, parseField(parts[n], field)]));
}
