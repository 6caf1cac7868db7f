// The lines, by the rules of the goal.
const COUNTED = /^(\S+) x (.*)$/;
const QUOTED = /^"([^"]*)"(?: @ (.*))?$/;

export function read(lines) {
  const entries = [];
  const refused = [];
  lines.forEach((line, index) => {
    try {
      add(entries, entryOf(line));
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

function entryOf(line) {
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

const PRICE = /^\d+(\.\d+)?$/;

function cents(price) {
  if (!PRICE.test(price)) throw new RangeError(`price is not a number: '${price}'`);
  const [whole, part = ""] = price.split(".");
  const known = Number(whole + part.slice(0, 2).padEnd(2, "0"));
  const rest = part.slice(2).replace(/0+$/, "");
  const up = rest > "5" || (rest === "5" && known % 2 === 1);
  return known + (up ? 1 : 0);
}
