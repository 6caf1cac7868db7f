import { GlobError } from "./errors.js";

const NUMBERS = /^(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?$/;
const LETTERS = /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d+))?$/;

function findOpening(pattern) {
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern[at] === "{") return at;
    else if (pattern[at] === "}") throw new GlobError(`a brace has no beginning: ${pattern}`);
  }
  return -1;
}

/** Read the alternatives of a brace, and where it ends. */
function readBrace(pattern, opening) {
  const parts = [];
  let depth = 0;
  let start = opening + 1;
  for (let at = opening; at < pattern.length; at += 1) {
    const sign = pattern[at];
    if (sign === "\\") at += 1;
    else if (sign === "{") depth += 1;
    else if (sign === "," && depth === 1) {
      parts.push(pattern.slice(start, at));
      start = at + 1;
    } else if (sign === "}") {
      depth -= 1;
      if (depth === 0) return { parts: [...parts, pattern.slice(start, at)], closing: at };
    }
  }
  throw new GlobError(`a brace has no end: ${pattern}`);
}

function count(first, last, step, write) {
  if (step === 0) throw new GlobError("a range cannot have a step of 0");
  const size = Math.floor(Math.abs(last - first) / Math.abs(step)) + 1;
  const sign = Math.sign(last - first);
  return Array.from({ length: size }, (_, n) => write(first + sign * n * Math.abs(step)));
}

function writeNumber(number, width) {
  const digits = String(Math.abs(number));
  return number < 0 ? `-${digits.padStart(width - 1, "0")}` : digits.padStart(width, "0");
}

function readRange(text) {
  const numbers = NUMBERS.exec(text);
  if (numbers) {
    const [, first, last, step = "1"] = numbers;
    const isPadded = [first, last].some((end) => /^-?0\d/.test(end));
    const width = isPadded ? Math.max(first.length, last.length) : 0;
    return count(Number(first), Number(last), Number(step), (each) => writeNumber(each, width));
  }
  const letters = LETTERS.exec(text);
  if (!letters) return null;
  const [, first, last, step = "1"] = letters;
  const [from, to] = [first, last].map((letter) => letter.charCodeAt(0));
  return count(from, to, Number(step), (code) => String.fromCharCode(code));
}

/** List the patterns that one with braces stands for. */
export function expand(pattern) {
  const opening = findOpening(pattern);
  if (opening < 0) return [pattern];
  const { parts, closing } = readBrace(pattern, opening);
  const tails = expand(pattern.slice(closing + 1));
  const choices =
    parts.length > 1
      ? parts.flatMap(expand)
      : (readRange(parts[0]) ?? expand(parts[0]).map((inner) => `{${inner}}`));
  return choices.flatMap((each) => tails.map((tail) => pattern.slice(0, opening) + each + tail));
}
