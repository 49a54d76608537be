import type { Client } from "ssh2";
import { type Patches, patches } from "./patches.ts";
import { findDifference } from "./self-test.ts";

export type { HeadStart } from "./head-start.ts";
export type { Patches } from "./patches.ts";

/**
 * The patches for a version of ssh2. Undefined if the internals of ssh2 differ from those that the patches were written
 * for.
 */
export function patchesFor(version: string, client: typeof Client): Patches | undefined {
  return findDifference(version, client, patches) === undefined ? patches : undefined;
}
