/** The value of a fact about a thing that does not exist. As a want: the thing must not exist. */
export const absent: unique symbol = Symbol.for("furrow.absent") as never;
/** The type of {@link absent}. */
export type Absent = typeof absent;

/**
 * A value that is not known until the run reaches the task that sets it. In a want, this value matches anything. A task
 * that reads it in a prediction becomes undecided.
 */
export const knownAfterApply: unique symbol = Symbol.for("furrow.knownAfterApply") as never;
/** The type of {@link knownAfterApply}. */
export type KnownAfterApply = typeof knownAfterApply;

/** True for a plain record, whose keys can be wanted one by one. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a task call that is a param (`restartOn: [conf]`): such a param names the task and is not data. */
export function isNamedTask(value: object): boolean {
  return "module" in value && "node" in value && value.node === "task";
}
