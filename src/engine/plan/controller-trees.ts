import type { Fact, Json } from "../../core/facts/fact.ts";
import type { PlannedTask } from "./plan.ts";

/**
 * Returns the text of a file in a tree on the controller, by the tree's request and the path below the tree's root;
 * undefined if there is none.
 */
export type TreeText = (request: Json, below: string) => string | undefined;

/** True if the source of a tree has something at a path below its root, by the tree's request. */
export type TreeHolds = (request: Json, below: string) => boolean;

/**
 * Returns the entry at a path below a tree's root, like the fact about a local tree but without hashes; undefined if
 * nothing exists there.
 */
export type TreeEntryAt = (request: Json, below: string) => object | undefined;

/** Returns all paths of a tree; undefined if the tree cannot be read or has too many paths to compare. */
export type TreeNames = (request: Json) => readonly string[] | undefined;

/** Access to trees on the controller before a run. If a function is missing, trees cause no conflict. */
export interface Trees {
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
} satisfies Trees;

/** How to compare the facts of tasks. */
export interface View {
  /** The id of the thing that a fact is about: two names of one thing give one id. */
  readonly idOf: (task: PlannedTask, fact: Fact) => string;
  readonly treeText: TreeText;
  readonly treeHolds: TreeHolds;
  readonly treeEntry: TreeEntryAt;
  readonly treeNames: TreeNames;
}

/** A task that brings a tree from the controller, its destination path, and the tree's request. */
export interface TreeTask {
  readonly task: PlannedTask;
  readonly root: string;
  readonly request: Json;
}
