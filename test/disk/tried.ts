import { expect } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import type { TaskEnd } from "../tasks/on-host.ts";
import { hashOf, type LoopDisk, type LoopHost } from "./loop-host.ts";

/** The error code of a refusal; undefined if the task did not refuse. */
export function refusal(end: TaskEnd | undefined): string | undefined {
  return end?.error?.failure.details?.find((line) => line.startsWith("refused: "))?.slice("refused: ".length);
}

/** Returns what check and run report about a disk, and whether every byte of the disk is unchanged. */
export async function tried(host: LoopHost, target: LoopDisk, call: Node): Promise<object> {
  const before = await hashOf(target);
  const [checked] = await host.check(call);
  const [applied] = await host.apply(call);
  const unchanged = (await hashOf(target)) === before;
  return { codes: [refusal(checked), refusal(applied)], what: applied?.error?.failure.what, unchanged };
}

/** The result of {@link tried} for a disk that was refused and left alone. */
export function refused(code: string, what: RegExp): object {
  return { codes: [code, code], what: expect.stringMatching(what) as string, unchanged: true };
}
