import { FurrowError, isFurrowError, type Where } from "./errors.ts";

/** The number of errors that are shown after the first one. */
const mostDetails = 19;

/** All errors in a playbook's tasks: the first one in full, the others on one line each. */
export class WrongCalls extends FurrowError {
  readonly errors: readonly FurrowError[];
  readonly #folder: string | undefined;

  /** `errors`: at least one. `folder`: positions are shown relative to it. */
  constructor(errors: readonly FurrowError[], folder?: string) {
    const [first, ...rest] = distinct(errors.flatMap(all)).toSorted(byPlace);
    if (first === undefined) throw new TypeError("nothing is wrong");
    const shown = rest.slice(0, mostDetails).map((error) => line(error, folder));
    const left = rest.length > shown.length ? [`and ${rest.length - shown.length} more`] : [];
    const details = [...(first.failure.details ?? []), ...shown, ...left];
    super(first.code, { ...first.failure, ...(details.length > 0 && { details }) });
    this.errors = [first, ...rest];
    this.#folder = folder;
  }

  override at(where: Where): FurrowError {
    return new WrongCalls(
      this.errors.map((error) => error.at(where)),
      this.#folder,
    );
  }
}

/** One error that contains all of these; a single error is returned unchanged. */
export function together(errors: readonly FurrowError[], folder?: string): FurrowError {
  const [only, ...rest] = errors;
  return only !== undefined && rest.length === 0 && !(only instanceof WrongCalls)
    ? only
    : new WrongCalls(errors, folder);
}

function all(error: FurrowError): readonly FurrowError[] {
  return error instanceof WrongCalls ? error.errors : [error];
}

/** Removes duplicate errors about the same place, which occur because all hosts share the playbook. */
function distinct(errors: readonly FurrowError[]): FurrowError[] {
  const known = new Map<string, FurrowError>();
  for (const error of errors) {
    const { what, where, current } = error.failure;
    const id = JSON.stringify([error.code, what, where?.source, where?.play, where?.param, current]);
    if (!known.has(id)) known.set(id, error);
  }
  return [...known.values()];
}

/** Sorts errors within one file by position; files stay in their original order. */
function byPlace(a: FurrowError, b: FurrowError): number {
  const [one, other] = [placeOf(a), placeOf(b)];
  return one.file === other.file ? one.line - other.line || one.column - other.column : 0;
}

function placeOf({ failure }: FurrowError): { readonly file: string; readonly line: number; readonly column: number } {
  const [, file = "", line = "0", column = "0"] = /^(.*):(\d+):(\d+)$/.exec(failure.where?.source ?? "") ?? [];
  return { file, line: Number(line), column: Number(column) };
}

function line({ failure }: FurrowError, folder: string | undefined): string {
  const { what, where = {}, current, expected, hint } = failure;
  const { source, task } = where;
  const place = folder !== undefined && source?.startsWith(`${folder}/`) ? source.slice(folder.length + 1) : source;
  const values = [
    ...(current === undefined ? [] : [current]),
    ...(expected === undefined ? [] : [`expected ${expected}`]),
  ];
  const said = `${task === undefined ? "" : `${task}: `}${what}${values.length > 0 ? `: ${values.join(", ")}` : ""}`;
  return `${place === undefined ? "" : `${place}  `}${said}${hint === undefined ? "" : `. ${hint}`}`;
}

/** The errors found so far in the task calls of the `tasks` function that is currently running. */
let found: FurrowError[] | undefined;

/**
 * Runs `act` and returns its result; while `act` runs, {@link reportLater} collects errors and continues. Throws the
 * collected errors as one error, together with the error that ended `act`, if any. If no error was collected, throws
 * what `act` throws.
 */
export function withWrongCalls<T>(act: () => T): T {
  const outer = found;
  const own: FurrowError[] = [];
  found = own;
  try {
    const value = act();
    if (own.length > 0) throw together(own);
    return value;
  } catch (error) {
    if (own.length === 0 || error instanceof WrongCalls || own.includes(error as FurrowError)) throw error;
    throw together(isFurrowError(error) ? [...own, error] : own);
  } finally {
    found = outer;
  }
}

/**
 * Runs `act` and returns its result. If `act` throws a FurrowError while tasks are being listed, returns undefined, and
 * the error is reported later, together with the other errors. Otherwise throws what `act` throws.
 */
export function reportLater<T>(act: () => T): T | undefined {
  if (found === undefined) return act();
  try {
    return act();
  } catch (error) {
    if (!isFurrowError(error) || error.code === "E_BUG") throw error;
    found.push(error);
    return undefined;
  }
}
