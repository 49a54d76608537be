import type { FurrowError } from "../core/errors.ts";
import { isFurrowError } from "../core/errors.ts";

/** The exit codes, by meaning; {@link exitCodeMeanings} describes when each is used. */
export const exitCodes = {
  converged: 0,
  failed: 1,
  changesPending: 2,
  unreachable: 3,
  usage: 64,
  locked: 75,
  interrupted: 130,
} as const;

/** The rule for the exit codes, as `furrow --help` prints it. */
export const exitCodeMeanings: readonly (readonly [number, string])[] = [
  [exitCodes.converged, "Nothing failed"],
  [exitCodes.failed, "A host failed, or a file or value that you gave is wrong: playbook, types, inventory, vars"],
  [exitCodes.changesPending, "Something would change; only with check --exit-code"],
  [exitCodes.unreachable, "Hosts could not be reached or refused the login, and nothing else failed"],
  [exitCodes.usage, "The command line is wrong: a command, a flag, or a host, tag or task that does not exist"],
  [exitCodes.locked, "Another run holds the hosts, and nothing else failed"],
  [exitCodes.interrupted, "Interrupted"],
];

/** The parts of a run's result that decide its exit code. */
export interface Ended {
  readonly failed: readonly string[];
  readonly unreachable: readonly string[];
  readonly changed: boolean;
  readonly interrupted: boolean;
  readonly errors: readonly FurrowError[];
}

/**
 * Returns the exit code for a run. A failed host outranks an unreachable one. With `pending`, the code is 2 if anything
 * would change.
 */
export function exitCodeOf(ended: Ended, pending: boolean): number {
  if (ended.interrupted) return exitCodes.interrupted;
  if (ended.errors.length > 0 && ended.errors.every(({ code }) => code === "E_LOCKED")) return exitCodes.locked;
  if (ended.failed.length > 0) return exitCodes.failed;
  if (ended.unreachable.length > 0) return exitCodes.unreachable;
  return pending && ended.changed ? exitCodes.changesPending : exitCodes.converged;
}

/** Returns the exit code for a command that ends with an error. */
export function exitCodeOfError(error: unknown): number {
  if (!isFurrowError(error)) return exitCodes.failed;
  switch (error.code) {
    case "E_USAGE":
      return exitCodes.usage;
    case "E_PATTERN":
      return isInFile(error) ? exitCodes.failed : exitCodes.usage;
    case "E_LOCKED":
      return exitCodes.locked;
    case "E_INTERRUPTED":
      return exitCodes.interrupted;
    case "E_UNREACHABLE":
    case "E_AUTH":
    case "E_HOST_KEY":
      return exitCodes.unreachable;
    default:
      return exitCodes.failed;
  }
}

/** True for an error in a file, such as a playbook; false for an error on the command line. */
function isInFile({ failure: { where = {} } }: FurrowError): boolean {
  return where.playbook !== undefined || where.play !== undefined || where.source !== undefined;
}
