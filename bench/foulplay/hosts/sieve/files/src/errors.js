export class GlobError extends Error {
  name = "GlobError";
}
