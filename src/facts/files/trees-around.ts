/** Ids of the trees that a path is part of, its own first: what a change at the path shows in. */
export function treesAround(path: string): string[] {
  const parts = path.split("/").slice(1);
  return [...parts.map((_, at) => `tree:/${parts.slice(0, parts.length - at).join("/")}`), "tree:/"];
}
