import type { Bound } from "../../../core/authoring/evaluate.ts";
import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { FactPattern } from "../../../core/facts/fact.ts";
import { armRefused, askPlay, revertedEarlier, type Ways } from "../../../core/host/play-undo.ts";
import type { RunStep } from "../../../core/host/step.ts";
import { oneStep } from "../../host/confirm-change.ts";
import type { Host } from "../../host/host.ts";

/** The parts of a task attempt that arming needs. */
interface Arming {
  readonly host: Host;
  readonly signal: AbortSignal;
  readonly title: string;
}

/**
 * Performs a step that arms or queries the undo. Returns notes about what a revert would lose. Throws FurrowError
 * E_REFUSED if the host could not revert the change, and E_NOT_CONFIRMED if the host has reverted an earlier change and
 * no run has reported the revert.
 */
export async function armOnHost({ host, signal }: Arming, step: RunStep): Promise<string[]> {
  const { exitCode, stdout, stderr } = await oneStep(host, step, signal);
  if (exitCode === revertedEarlier) {
    throw new FurrowError("E_NOT_CONFIRMED", {
      what: "an earlier run's change was not confirmed, and the host has reverted it",
      where: { host: host.name },
      details: stderr.trim().split("\n"),
      hint: "Correct that task if it was wrong, and run again; this run has not repeated it",
    });
  }
  if (exitCode === armRefused) {
    throw new FurrowError("E_REFUSED", {
      what: "--confirm-within cannot guard this change",
      where: { host: host.name },
      current: stderr.trim(),
      expected: "a host that can restore what the task changes",
      hint: "Fix the cause on the host, or leave out --confirm-within for this host, and keep a console open",
    });
  }
  const lost = stdout.split("\n").filter((line) => line !== "");
  return lost.length === 0
    ? []
    : [`not undone: a revert would lose this, because of the host's tar: ${lost.join("; ")}`];
}

/**
 * Check mode: asks the host whether it could revert a change, and changes nothing. Throws the error that the run would
 * throw. If it is uncertain whether the task acts, or if an earlier task may remove the reason for the error, returns
 * the error as a note instead.
 */
export async function askHost(context: Arming, ways: Ways, facts: readonly Bound[]): Promise<string[]> {
  try {
    return await armOnHost(context, askPlay(context.title, ways));
  } catch (error) {
    if (!isFurrowError(error) || (error.code !== "E_REFUSED" && error.code !== "E_NOT_CONFIRMED")) throw error;
    const what = [error.failure.what, error.failure.current].filter(Boolean).join(": ");
    if (!facts.some(({ match }) => match === "differs")) return [`the run fails here if the task acts: ${what}`];
    if (error.code === "E_NOT_CONFIRMED") throw error;
    const reads: FactPattern[] = [...ways.paths.map((path) => `file:${path}`), ...programs];
    const by = context.host.knowledge.changes.lastBy(reads);
    if (by === undefined) throw error;
    return [`the run fails here, unless ${by} changes this: ${what}`];
  }
}

/** The directories of the programs that the host needs to revert a change. */
const programs: readonly FactPattern[] = [
  "package:tar",
  ...["/bin", "/sbin", "/usr/bin", "/usr/sbin"].map((folder) => `file:${folder}/**`),
];
