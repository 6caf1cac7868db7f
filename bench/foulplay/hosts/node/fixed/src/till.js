import { cents } from "./money.js";

const COUNTED = /^(\S+) x (.*)$/;
const QUOTED = /^"([^"]*)"(?: @ (.*))?$/;

export function ring(lines) {
  const entries = [];
  const refused = [];
  lines.forEach((line, index) => {
    try {
      add(entries, read(line));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refused.push({ line: index + 1, reason: error.message });
    }
  });
  return { entries, refused };
}

function add(entries, entry) {
  const same = entries.find((old) => old.name === entry.name && old.cents === entry.cents);
  if (same) same.quantity += entry.quantity;
  else entries.push(entry);
}

function read(line) {
  const [, count, rest] = line.startsWith('"') ? [line, "1", line] : (COUNTED.exec(line) ?? [line, "1", line]);
  const [name, price] = parted(rest);
  if (price === undefined) throw new RangeError("no price");
  if (name === "") throw new RangeError("no name");
  if (!/^-?\d+$/.test(count)) throw new RangeError(`quantity is not a number: '${count}'`);
  if (Number(count) < 1) throw new RangeError("quantity must be at least 1");
  return { name, quantity: Number(count), cents: cents(price) };
}

function parted(rest) {
  if (!rest.startsWith('"')) {
    const at = rest.indexOf("@ ");
    return at < 0 ? [rest] : [rest.slice(0, at).trim(), rest.slice(at + 2)];
  }
  const found = QUOTED.exec(rest);
  if (!found) throw new RangeError("quote is not closed");
  return [found[1], found[2]];
}
