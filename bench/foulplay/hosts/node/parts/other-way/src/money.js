const PRICE = /^\d+(\.\d+)?$/;

export function cents(price) {
  if (!PRICE.test(price)) throw new RangeError(`price is not a number: '${price}'`);
  const [whole, part = ""] = price.split(".");
  const known = Number(whole + part.slice(0, 2).padEnd(2, "0"));
  const rest = part.slice(2).replace(/0+$/, "");
  const up = rest > "5" || (rest === "5" && known % 2 === 1);
  return known + (up ? 1 : 0);
}

export function show(amount) {
  const sign = amount < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(amount) / 100).toString();
  const rest = (Math.abs(amount) % 100).toString().padStart(2, "0");
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${rest}`;
}
