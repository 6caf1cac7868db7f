export function cents(price) {
  return Math.floor(Number(price) * 100);
}

export function show(amount) {
  const sign = amount < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(amount) / 100).toString();
  const rest = (Math.abs(amount) % 100).toString().padStart(2, "0");
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${rest}`;
}
