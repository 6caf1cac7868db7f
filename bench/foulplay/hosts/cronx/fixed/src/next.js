import { parse } from "./parse.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MOST_DAYS = 366 * 9;

function namesDay(expression, fields, date) {
  const [, , day, , weekday] = expression.trim().split(/\s+/);
  const isDay = fields.day.includes(date.getUTCDate());
  const isWeekday = fields.weekday.includes(date.getUTCDay());
  if (!fields.month.includes(date.getUTCMonth() + 1)) return false;
  return day.startsWith("*") || weekday.startsWith("*") ? isDay && isWeekday : isDay || isWeekday;
}

/** Tell whether an expression names this minute. */
export function matches(expression, iso) {
  const fields = parse(expression);
  const date = new Date(iso);
  return (
    fields.minute.includes(date.getUTCMinutes()) &&
    fields.hour.includes(date.getUTCHours()) &&
    namesDay(expression, fields, date)
  );
}

/** Give the first minute after a time that an expression names, as an ISO text. */
export function nextAfter(expression, iso) {
  const fields = parse(expression);
  const from = Date.parse(iso);
  const first = from - (from % DAY);
  for (let n = 0; n < MOST_DAYS; n += 1) {
    const date = new Date(first + n * DAY);
    if (!namesDay(expression, fields, date)) continue;
    for (const hour of fields.hour) {
      for (const minute of fields.minute) {
        const time = date.getTime() + (hour * 60 + minute) * MINUTE;
        if (time > from) return new Date(time).toISOString().slice(0, 16) + "Z";
      }
    }
  }
  return null;
}
