import type { Fact, Json } from "../../core/facts/fact.ts";
import type { PlannedTask } from "./plan.ts";

/**
 * Returns the text of a file in a tree on the controller, given the tree's request and the file's path below the tree's
 * root; undefined if that file does not exist.
 */
export type TreeText = (request: Json, below: string) => string | undefined;

/**
 * True if a tree on the controller has an entry at the given path below its root. The tree is identified by its
 * request.
 */
export type TreeHolds = (request: Json, below: string) => boolean;

/**
 * Returns the entry at a path below a tree's root, in the same form as in the fact about a local tree, but without
 * hashes; undefined if nothing exists at that path.
 */
export type TreeEntryAt = (request: Json, below: string) => object | undefined;

/** Returns all paths in a tree; undefined if the tree cannot be read or has too many paths to compare. */
export type TreeNames = (request: Json) => readonly string[] | undefined;

/**
 * Access to trees on the controller before a run. If a function is missing, the conflicts that it would show are not
 * found before the run.
 */
export interface ControllerTrees {
  readonly treeText?: TreeText | undefined;
  readonly treeHolds?: TreeHolds | undefined;
  readonly treeEntry?: TreeEntryAt | undefined;
  readonly treeNames?: TreeNames | undefined;
}

/** Used if the trees on the controller cannot be read. */
export const noTrees = {
  treeText: () => undefined,
  treeHolds: () => true,
  treeEntry: () => undefined,
  treeNames: () => undefined,
} satisfies ControllerTrees;

/** How to compare the facts of tasks. */
export interface Comparison {
  /** The id of the thing that a fact is about: two names of one thing give the same id. */
  readonly idOf: (task: PlannedTask, fact: Fact) => string;
  readonly treeText: TreeText;
  readonly treeHolds: TreeHolds;
  readonly treeEntry: TreeEntryAt;
  readonly treeNames: TreeNames;
}

/** A task that copies a tree from the controller, its destination path, and the tree's request. */
export interface TreeTask {
  readonly task: PlannedTask;
  readonly root: string;
  readonly request: Json;
}
