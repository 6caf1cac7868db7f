import { cents } from "./money.js";

const COUNTED = /^(?<count>[^\s"]+) x (?<rest>.*)$/s;

export function ring(lines) {
  const byKey = new Map();
  const refused = [];
  for (const [index, line] of lines.entries()) {
    const { reason, name, quantity, price } = read(line);
    if (reason) {
      refused.push({ line: index + 1, reason });
      continue;
    }
    const key = JSON.stringify([name, price]);
    const old = byKey.get(key) ?? { name, quantity: 0, cents: price };
    byKey.set(key, { ...old, quantity: old.quantity + quantity });
  }
  return { entries: [...byKey.values()], refused };
}

function read(line) {
  const { count = "1", rest = line } = COUNTED.exec(line)?.groups ?? {};
  const quoted = rest[0] === '"';
  const end = quoted ? rest.indexOf('"', 1) : rest.indexOf("@ ");
  if (quoted && end < 0) return { reason: "quote is not closed" };
  const tail = quoted ? rest.slice(end + 1) : end < 0 ? "" : ` ${rest.slice(end)}`;
  if (!tail.startsWith(" @ ")) return { reason: quoted && tail ? "quote is not closed" : "no price" };
  const name = quoted ? rest.slice(1, end) : rest.slice(0, end).trim();
  if (!name) return { reason: "no name" };
  if (!/^-?\d+$/.test(count)) return { reason: `quantity is not a number: '${count}'` };
  if (Number(count) < 1) return { reason: "quantity must be at least 1" };
  try {
    return { name, quantity: Number(count), price: cents(tail.slice(3)) };
  } catch (error) {
    return { reason: error.message };
  }
}
