import { cents } from "./money.js";

const LINE = /^(\d+) x (\S+) @ ([\d.]+)$/;

export function ring(lines) {
  const entries = lines.map((line) => {
    const [, quantity, name, price] = LINE.exec(line);
    return { name, quantity: Number(quantity), cents: cents(price) };
  });
  return { entries, refused: [] };
}
