import type { Json } from "../core/fact.ts";
import type { TreeText, TreeTask, View } from "./edit-conflicts.ts";
import { treeWant } from "./tree-wants.ts";

/** True where the source of a tree has something at a path below it, by the tree's request. */
export type TreeHolds = (request: Json, below: string) => boolean;

/** What a tree has at a path below it, as the fact about a local tree tells it, but for hashes; undefined where nothing. */
export type TreeEntryAt = (request: Json, below: string) => object | undefined;

/** The paths of all that a tree brings; undefined where it cannot be read, or there are too many to compare. */
export type TreeNames = (request: Json) => readonly string[] | undefined;

/** What is known of trees of the controller before a run; where nobody can look into them, they are no reason to refuse. */
export interface Trees {
  readonly treeText?: TreeText | undefined;
  readonly treeHolds?: TreeHolds | undefined;
  readonly treeEntry?: TreeEntryAt | undefined;
  readonly treeNames?: TreeNames | undefined;
}

/** Where nobody can look into the trees of the controller. */
export const noTrees = {
  treeText: () => undefined,
  treeHolds: () => true,
  treeEntry: () => undefined,
  treeNames: () => undefined,
} satisfies Trees;

/**
 * True where a task that brings a tree removes a path below the tree's root, because its source has nothing there. The task
 * is asked with an empty source and with a host's tree that holds this path: what it then leaves out of the names, it purges.
 */
export function purges(tree: TreeTask, path: string, view: View): boolean {
  const { root, request } = tree;
  if (!path.startsWith(`${root}/`)) return false;
  const below = path.slice(root.length + 1);
  const names = treeWant(tree, { entries: {}, names: [".", ...prefixesOf(below)] })?.names;
  return names !== undefined && !names.includes(below) && !view.treeHolds(request, below);
}

function prefixesOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
