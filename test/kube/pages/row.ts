import type { Rig } from "../kills/rig.ts";
import type { Row } from "../kills/row.ts";

/** A block of commands in a guide, and the cluster on which a test runs it word for word. */
export interface PageRow {
  /** The guide's path below docs/guides, such as `harvester/networks`. */
  readonly page: string;
  /** The beginning of the block, long enough to match no other block. */
  readonly start: string;
  /** The beginning of another block of the page, which runs before this one. */
  readonly after?: string;
  /** The row of test/kube/kills with the objects and controllers. */
  readonly like: Row;
  /** The objects with which the block begins, if they are not the row's. */
  objects?(rig: Rig): readonly object[];
  /** Other guides whose files the commands use. */
  readonly filesOf?: readonly string[];
  /** What the page's placeholders stand for, given the vars of the row. */
  filled?(vars: Readonly<Record<string, string>>, rig: Rig): readonly (readonly [placeholder: string, value: string])[];
  /** Files that a reader has but no page shows, by name. */
  files?(rig: Rig): Readonly<Record<string, string>>;
  /** What the commands print. */
  readonly says: readonly RegExp[];
}
