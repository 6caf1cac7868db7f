/** Baskets of before 2019 had commas for points. Nobody sends them any more. */
export function pointed(price) {
  return price.replace(",", ".");
}
