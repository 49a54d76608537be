/**
 * The ids of the trees that contain a path, starting with the path's own: a change at the path shows in all of them.
 */
export function treesContaining(path: string): string[] {
  const parts = path.split("/").slice(1);
  return [...parts.map((_, at) => `tree:/${parts.slice(0, parts.length - at).join("/")}`), "tree:/"];
}
