import { match } from "./match.ts";
import { type Kind, type Params, read } from "./pattern.ts";

export interface Found {
  readonly route: string;
  readonly params: Params;
}

const RANKS: Record<Kind, number> = { plain: 0, int: 1, name: 2, rest: 3 };

/** The most specific route for a path; null if there is none. */
export function find(routes: readonly string[], path: string): Found | null {
  let best: Found | null = null;
  for (const route of routes) {
    const params = match(route, path);
    if (params && (!best || comesBefore(route, best.route))) best = { route, params };
  }
  return best;
}

function comesBefore(route: string, other: string): boolean {
  const [ours, theirs] = [read(route), read(other)];
  for (let index = 0; index < Math.max(ours.length, theirs.length); index += 1) {
    const [one, two] = [ours[index], theirs[index]];
    if (!one || !two) return !one;
    if (RANKS[one.kind] !== RANKS[two.kind]) return RANKS[one.kind] < RANKS[two.kind];
    if (one.optional !== two.optional) return !one.optional;
  }
  return false;
}

/** What every path leads to, as a page. */
export function listing(routes: readonly string[], paths: readonly string[]): string {
  return paths
    .map((path) => {
      const found = find(routes, path);
      return found ? `${path} -> ${found.route} ${JSON.stringify(found.params)}` : `${path} -> nothing`;
    })
    .join("\n");
}
