/** Where a failure happened; every part is optional because some errors precede any host or task. */
export interface Where {
  readonly host?: string;
  readonly playbook?: string;
  readonly play?: string;
  readonly task?: string;
  readonly param?: string;
  /** The user's own source position, `path:line` or `path:line:column`. */
  readonly source?: string;
}

/** What an error is made of. `what` says what failed, in active voice and without a full stop. */
export interface Failure {
  readonly what: string;
  readonly where?: Where;
  /** What is there now, quoted by the caller where it is a value. */
  readonly current?: string;
  /** What should have been there. */
  readonly expected?: string;
  /** A sentence that begins with a verb and tells what to do. */
  readonly hint?: string;
  /** Further lines worth reading: last output of a command, the hosts concerned. */
  readonly details?: readonly string[];
  readonly cause?: unknown;
}

/**
 * Every failure furrow expects is one of these: it prints as one block and without a stack. Anything else that is
 * thrown is a bug in furrow or in user code.
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

  /** The same error with more known about where it happened; what was known already wins. */
  at(where: Where): FurrowError {
    return new FurrowError(this.code, { ...this.failure, where: { ...where, ...this.failure.where } });
  }
}

/** True for the errors that furrow itself raises, also across copies of the package. */
export function isFurrowError(error: unknown): error is FurrowError {
  return error instanceof Error && error.name === "FurrowError" && "failure" in error;
}

/** The codes of all expected failures and, in a few words, when each is raised. The reference page is made from this. */
export const errorCodes = {
  E_USAGE: "the command line cannot be understood",
  E_PARAMS: "a task's params do not fit its schema",
  E_VARS: "a var is missing or does not fit the playbook's schema",
  E_TYPES: "a playbook, or a file that it imports, does not fit its types",
  E_PLAYBOOK: "a playbook file cannot be loaded or is not a playbook, or code of it throws",
  E_INVENTORY: "an inventory file cannot be loaded or is not an inventory",
  E_PATTERN: "a host pattern names an unknown host or group, or matches nothing",
  E_CONFLICTING_WANTS: "two tasks of a play want different values for one fact",
  E_DUPLICATE_TASK: "two task modules have the same name",
  E_FACT: "a fact cannot be read from the host",
  E_REFUSED: "a task, or the person who was asked, refuses because acting could destroy something",
  E_NOT_CONVERGED: "a task's steps ended, and the host is not as the task wants it",
  E_STEP: "a step exited with a failure",
  E_OUTPUT: "a command printed more than is kept, and a task reads what it printed",
  E_TIMEOUT: "a task or a step ran longer than its timeout",
  E_WAIT: "what a task waits for did not come before its deadline",
  E_UNREACHABLE: "no connection to the host can be made, or it was lost and does not come back",
  E_AUTH: "the host refuses every key or password offered",
  E_HOST_KEY: "the host's key is unknown, changed or revoked",
  E_BECOME: "the other user cannot be become",
  E_LOCKED: "another run holds the host",
  E_PROTOCOL: "the host's shell answered something that is no answer to a frame",
  E_DISK_FULL: "the host has no space left where furrow must write",
  E_READ_ONLY: "a file system of the host is mounted read-only",
  E_TOOL_MISSING: "a command that a task needs is not on the host",
  E_SECRET: "a secret cannot be read, or would go where it must not go",
  E_FILE: "a file on the controller cannot be read or written",
  E_DRIVER: "a controller fact has no driver, or its driver failed",
  E_UNDECLARED: "a step changed a fact its task does not declare (--paranoid)",
  E_LAB: "the lab cannot be built, started or removed",
  E_INTERRUPTED: "the run was interrupted",
  E_BUG: "furrow broke one of its own rules",
} as const;

/** One of the closed set of error codes. */
export type ErrorCode = keyof typeof errorCodes;
