import type { Comparison, TreeTask } from "../controller-trees.ts";
import { treeWant } from "./tree-wants.ts";

/**
 * True if a task that copies a tree removes a path below the tree's root because its source lacks that path. The task
 * is asked with an empty source and a host tree that contains the path. If the names in its want do not include the
 * path, the task removes the path.
 */
export function purges(tree: TreeTask, path: string, comparison: Comparison): boolean {
  const { root, request } = tree;
  if (!path.startsWith(`${root}/`)) return false;
  const below = path.slice(root.length + 1);
  const names = treeWant(tree, { entries: {}, names: [".", ...prefixesOf(below)] })?.names;
  return names !== undefined && !names.includes(below) && !comparison.treeHolds(request, below);
}

function prefixesOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
