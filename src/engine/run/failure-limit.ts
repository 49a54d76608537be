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

/** True if the play runs in batches and every host of this batch has failed: then no further batch begins. */
export function haveAllFailed(failures: Failures, play: Play<never>, batch: readonly RunHost[]): boolean {
  return play.serial !== undefined && batch.every(({ name }) => failures.has(name));
}
