import { thrownAt } from "./position.ts";
import { UnknownValue } from "./compare.ts";
import { FurrowError, isFurrowError } from "./errors.ts";

/**
 * Calls a function that a person wrote into a playbook; `name` says which: `until`. Whatever it throws is its own failure, not
 * furrow's: throws FurrowError E_PLAYBOOK with the position. What furrow throws for its own ends goes through.
 */
export function callUser<T>(name: string, act: () => T): T {
  try {
    const given = act();
    if (given instanceof Promise) throw noPromise(name, given);
    return given;
  } catch (error) {
    throw error instanceof UnknownValue || isFurrowError(error) ? error : userFailure(name, error);
  }
}

/** The error of code that is a person's: `what` of it threw `error`. */
export function userFailure(what: string, error: unknown): FurrowError {
  const source = error instanceof Error ? thrownAt(error) : undefined;
  return new FurrowError("E_PLAYBOOK", {
    what: `${what} threw ${error instanceof Error ? error.name : "something that is not an Error"}`,
    ...(source !== undefined && { where: { source } }),
    current: error instanceof Error ? error.message : String(error),
    hint: source === undefined ? "Correct the function named above" : "Correct the line named above",
    cause: error,
  });
}

/** A promise counts as true whatever it resolves to, and furrow does not wait for it. */
function noPromise(name: string, given: Promise<unknown>): FurrowError {
  given.catch(() => {});
  return new FurrowError("E_PLAYBOOK", {
    what: `${name} gave a promise, and its answer is needed at once`,
    expected: "a function without `async`",
    hint: "Remove `async`, and do slow work in a task",
  });
}
