import { cents } from "./money.js";

const LINE = /^(?:(\S+) x )?(.*?)(?: @ (.*))?$/;

export function ring(lines) {
  const entries = [];
  const refused = [];
  lines.forEach((line, index) => {
    const [, quantity = "1", name, price] = LINE.exec(line);
    if (price === undefined) refused.push({ line: index + 1, reason: "no price" });
    else if (Number.isNaN(Number(quantity))) refused.push({ line: index + 1, reason: `quantity is not a number: '${quantity}'` });
    else if (Number.isNaN(Number(price))) refused.push({ line: index + 1, reason: `price is not a number: '${price}'` });
    else entries.push({ name, quantity: Number(quantity), cents: cents(price) });
  });
  return { entries, refused };
}
