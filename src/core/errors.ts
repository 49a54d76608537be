/** Where a failure happened; every part is optional, because some errors occur before any host or task is involved. */
export interface Where {
  readonly host?: string;
  readonly playbook?: string;
  readonly play?: string;
  readonly task?: string;
  readonly param?: string;
  /** The user's own source position, `path:line` or `path:line:column`. */
  readonly source?: string;
}

/** The content of an error. `what` says what failed, in the active voice and without a full stop. */
export interface Failure {
  readonly what: string;
  readonly where?: Where;
  /** The current value or state. The caller quotes values. */
  readonly current?: string;
  /** The expected value or state. */
  readonly expected?: string;
  /** A sentence that begins with a verb and says what to do. */
  readonly hint?: string;
  /** Additional lines worth reading: the last output of a command, the affected hosts. */
  readonly details?: readonly string[];
  /** True if `details` contain only a part of the output, and verbose output shows all of it. */
  readonly isPartial?: boolean;
  readonly cause?: unknown;
  /**
   * True if another attempt would fail too until someone changes something, so there is no point in waiting any longer.
   */
  readonly isLasting?: boolean;
  /** True if the task is known to have changed something before it failed, such as before a wait. */
  readonly hasChanged?: boolean;
}

/**
 * Every failure that furrow expects is a FurrowError: it is printed as one block, without a stack. Any other thrown
 * error is a bug in furrow or in user code.
 */
export class FurrowError extends Error {
  readonly code: ErrorCode;
  readonly failure: Failure;

  constructor(code: ErrorCode, failure: Failure) {
    super(failure.what, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.name = "FurrowError";
    this.code = code;
    this.failure = failure;
  }

  /** The same error with more details about where it happened. Details that it already has take precedence. */
  at(where: Where): FurrowError {
    return new FurrowError(this.code, { ...this.failure, where: { ...where, ...this.failure.where } });
  }
}

/** True for an error that furrow raised, even if it comes from another copy of the package. */
export function isFurrowError(error: unknown): error is FurrowError {
  return error instanceof Error && error.name === "FurrowError" && "failure" in error;
}

/**
 * The codes of all expected failures, with a short text that says when each is raised. The reference page is generated
 * from this.
 */
export const errorCodes = {
  E_USAGE: "the command line is not valid",
  E_PARAMS: "a task's params do not match its schema",
  E_VARS: "a var is missing or does not match the playbook's schema",
  E_TYPES: "a playbook, or a file that it imports, has type errors, or its tsconfig.json has a wrong setting",
  E_PLAYBOOK: "a playbook file cannot be loaded or is not a playbook, or its code throws",
  E_INVENTORY: "an inventory file cannot be loaded or is not an inventory",
  E_PATTERN: "a host pattern names an unknown host or group, or matches nothing",
  E_CONFLICTING_WANTS: "two tasks in a play want different values for one fact",
  E_DUPLICATE_TASK: "two task modules have the same name",
  E_FACT: "a fact cannot be read from the host",
  E_REFUSED: "a task refused to act because acting could destroy something, or the user was asked and did not confirm",
  E_NOT_CONVERGED: "a task's steps finished, but the host does not match the task's want",
  E_NOT_CONFIRMED: "a change was not confirmed over a new connection in time, so the host reverted it",
  E_STEP: "a step failed",
  E_OUTPUT: "a command printed more than furrow keeps, and a task reads that output",
  E_TIMEOUT: "a task or a step ran longer than its timeout",
  E_WAIT: "what a task waits for did not happen before its deadline",
  E_UNREACHABLE: "furrow cannot connect to the host, or lost the connection and cannot restore it",
  E_AUTH: "the host rejects every key or password offered",
  E_HOST_KEY: "the host's key is unknown, changed or revoked",
  E_BECOME: "furrow cannot switch to the other user",
  E_LOCKED: "another run holds the host",
  E_PROTOCOL: "the host's shell sent something that is not an answer to a frame",
  E_DISK_FULL: "the host has no space left where furrow must write",
  E_READ_ONLY: "a file system on the host is mounted read-only",
  E_TOOL_MISSING: "a command that a task needs is missing on the host",
  E_SECRET: "a secret cannot be read, or would be used where secrets are not allowed",
  E_FILE: "a file on the controller cannot be read or written",
  E_DRIVER: "a controller fact has no driver, or its driver failed",
  E_UNDECLARED: "a step changed a fact that its task does not declare (--paranoid)",
  E_LAB: "the lab cannot be built, started or removed",
  E_INTERRUPTED: "the run was interrupted",
  E_BUG: "furrow broke one of its own rules",
} as const;

/** One of the fixed set of error codes. */
export type ErrorCode = keyof typeof errorCodes;
