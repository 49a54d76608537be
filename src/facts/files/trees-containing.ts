/**
 * The ids of the trees that contain a path, the tree at the path itself first. A change at the path is visible in all
 * of them.
 */
export function treesContaining(path: string): string[] {
  const parts = path.split("/").slice(1);
  return [...parts.map((_, at) => `tree:/${parts.slice(0, parts.length - at).join("/")}`), "tree:/"];
}
