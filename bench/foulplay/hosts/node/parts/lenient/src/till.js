import { cents } from "./money.js";

const LINE = /^(?:(\d+) x )?"?(.*?)"?(?: @ (.*))?$/;

export function ring(lines) {
  const entries = lines.map((line) => {
    const [, quantity, name, price] = LINE.exec(line);
    return { name, quantity: Number(quantity) || 1, cents: cents(price) || 0 };
  });
  return { entries, refused: [] };
}
