import { match } from "./match.ts";
import type { Params } from "./pattern.ts";

export interface Found {
  readonly route: string;
  readonly params: Params;
}

/** The route for a path; null if there is none. */
export function find(routes: readonly string[], path: string): Found | null {
  for (const route of routes) {
    const params = match(route, path);
    if (params) return { route, params };
  }
  return null;
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
