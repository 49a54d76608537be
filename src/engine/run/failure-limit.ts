import type { Play } from "../../core/authoring/playbook.ts";
import type { RunHost } from "../plan/request.ts";
import type { Failures } from "./failures.ts";

/**
 * The reason why a play stops all hosts of a batch after `host` has failed (`anyFailureFatal`, `maxFailPercentage`);
 * undefined if it does not stop them.
 */
export function whyStop(
  failures: Failures,
  play: Play<never>,
  host: string,
  batch: readonly RunHost[],
): string | undefined {
  if (play.anyFailureFatal === true) return `${host} failed, and any failure stops this play`;
  const failed = batch.filter(({ name }) => failures.has(name)).length;
  if ((failed / batch.length) * 100 <= (play.maxFailPercentage ?? 100)) return undefined;
  return `${failed} of ${batch.length} hosts failed, more than ${play.maxFailPercentage}%`;
}

/**
 * The reason why the run ends after this batch: every host in it has failed, so no further batch and no later play
 * begins. Undefined if any host has not failed, or if nothing follows. `later`: the hosts of each later play; undefined
 * if they are not known yet.
 */
export function whyEnd(
  failures: Failures,
  play: Play<never>,
  batch: readonly RunHost[],
  later: readonly (readonly RunHost[] | undefined)[],
): string | undefined {
  if (!batch.every(({ name }) => failures.has(name))) return undefined;
  if (play.serial !== undefined) return "every host in the batch failed";
  const isFollowed = later.some((hosts) => hosts?.some(({ name }) => !failures.has(name)) !== false);
  return isFollowed ? "every host of the play failed, so no later play begins" : undefined;
}
