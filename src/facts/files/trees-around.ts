/** Ids of the trees that contain a path, its own first: a change at the path shows in them. */
export function treesAround(path: string): string[] {
  const parts = path.split("/").slice(1);
  return [...parts.map((_, at) => `tree:/${parts.slice(0, parts.length - at).join("/")}`), "tree:/"];
}
