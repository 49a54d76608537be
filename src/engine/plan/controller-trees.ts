import type { Fact, Json } from "../../core/fact.ts";
import type { PlannedTask } from "./plan.ts";

/** The text of a file in a tree of the controller, by the tree's request and the path below it; undefined where there is none. */
export type TreeText = (request: Json, below: string) => string | undefined;

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

/** How facts of tasks are compared. */
export interface View {
  /** The id of what a fact is about: two names of one thing give one id. */
  readonly idOf: (task: PlannedTask, fact: Fact) => string;
  readonly treeText: TreeText;
  readonly treeHolds: TreeHolds;
  readonly treeEntry: TreeEntryAt;
  readonly treeNames: TreeNames;
}

/** A task that brings a tree of the controller, the path it brings it to, and the tree's request. */
export interface TreeTask {
  readonly task: PlannedTask;
  readonly root: string;
  readonly request: Json;
}
