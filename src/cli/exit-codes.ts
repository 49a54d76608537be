import type { FurrowError } from "../core/errors.ts";
import { isFurrowError } from "../core/errors.ts";

/** The exit codes, by meaning. */
export const exitCodes = {
  converged: 0,
  failed: 1,
  changesPending: 2,
  unreachable: 3,
  usage: 64,
  locked: 75,
  interrupted: 130,
} as const;

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
