/** The value of a fact about a thing that is not there, and the want that a thing must not be there. */
export const absent: unique symbol = Symbol.for("furrow.absent") as never;
/** The type of {@link absent}. */
export type Absent = typeof absent;

/**
 * A value nobody can know before the run has got that far. In a want it matches anything; in a prediction it makes
 * whoever looks at it undecidable in check mode.
 */
export const knownAfterApply: unique symbol = Symbol.for("furrow.knownAfterApply") as never;
/** The type of {@link knownAfterApply}. */
export type KnownAfterApply = typeof knownAfterApply;

/** True for a plain record: the shape whose keys a want binds one by one. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a task call that stands in a param (`restartOn: [conf]`): a name for the task, not data to look into. */
export function isNamedTask(value: object): boolean {
  return "module" in value && "node" in value && value.node === "task";
}
