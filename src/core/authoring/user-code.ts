import { frozenChange } from "../guarded/guarded.ts";
import { thrownAt } from "./position.ts";
import { UnknownValue } from "../facts/compare.ts";
import { FurrowError, isFurrowError } from "../errors.ts";

/**
 * Calls a function that the user wrote in a playbook. `name` names the function in errors: `until`. If the function
 * throws an error, callUser throws FurrowError E_PLAYBOOK with the position in the user's code. FurrowErrors and
 * UnknownValue pass through unchanged.
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

/** The error for user code that throws. The message says that `what` threw `error`. */
export function userFailure(what: string, error: unknown): FurrowError {
  const source = error instanceof Error ? thrownAt(error) : undefined;
  const change = frozenChange(error, source);
  if (change !== undefined) return change;
  return new FurrowError("E_PLAYBOOK", {
    what: `${what} threw ${error instanceof Error ? error.name : "something that is not an Error"}`,
    ...(source !== undefined && { where: { source } }),
    current: error instanceof Error ? error.message : String(error),
    hint: source === undefined ? "Correct that function" : "Correct that line",
    cause: error,
  });
}

/**
 * The error for a function that returned a promise: a promise would count as true regardless of what it resolves to,
 * and furrow does not await it.
 */
function noPromise(name: string, given: Promise<unknown>): FurrowError {
  given.catch(() => {});
  return new FurrowError("E_PLAYBOOK", {
    what: `${name} returned a promise, but its result is needed immediately`,
    expected: "a function without `async`",
    hint: "Remove `async`, and do slow work in a task",
  });
}
