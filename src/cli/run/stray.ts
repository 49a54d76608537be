import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { endNow } from "../end-now.ts";

/** The function that receives unhandled errors. Undefined while no run is in progress. */
let taker: ((error: FurrowError) => void) | undefined;

/**
 * Reports unhandled errors (a rejected promise that is never awaited, a timer that throws) as errors in the playbook or
 * in furrow. By default, Node would end the process with a bare stack trace. During a run, {@link Strays} receives
 * these errors; at other times, the process ends here with exit code 1.
 */
export function listenForStrays(json: boolean): void {
  process.on("unhandledRejection", (error: unknown) => void tell(error, true, json));
  process.on("uncaughtException", (error: unknown) => void tell(error, false, json));
}

async function tell(error: unknown, isPromise: boolean, json: boolean): Promise<void> {
  try {
    const stray = await strayError(error, isPromise);
    if (taker !== undefined) return taker(stray);
    const { printError } = await import("../terminal.ts");
    printError(stray, json);
  } catch (failure) {
    // If a package is missing, the modules that report errors may fail to load too. If that rejection were not caught,
    // it would end up here again, in an endless loop.
    const missing = [error, failure].find(isMissing);
    if (missing === undefined) console.error(error, failure);
    else console.error(`${missing.message}: run npm install in the folder of your package.json`);
  }
  endNow(1);
}

function isMissing(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

/** Receives the unhandled errors of one run. The first error ends the run. */
export class Strays {
  #error: FurrowError | undefined;

  /** `stop` is called with the first error. */
  constructor(stop: (error: FurrowError) => void) {
    taker = (error) => {
      if (this.#error !== undefined) return;
      this.#error = error;
      stop(error);
    };
  }

  /** The first error, if there was one. */
  get error(): FurrowError | undefined {
    return this.#error;
  }

  /** Throws the first error, if there was one. */
  refuse(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Stops receiving errors: later ones end the process. */
  release(): void {
    taker = undefined;
  }
}

/**
 * Attributes an error to the playbook or to furrow. If the stack names no user file, the error is a bug in furrow,
 * unless it comes from a rejected promise and the stack names no file at all, as with `fetch`.
 */
async function strayError(error: unknown, isPromise: boolean): Promise<FurrowError> {
  if (isFurrowError(error)) return error;
  const { userFrame } = await import("../../load/playbook/compile-error.ts");
  const source = error instanceof Error ? userFrame(error) : undefined;
  const hasFile = error instanceof Error && /^\s+at .*\(?(file:\/\/)?\/[^()]+:\d+:\d+\)?$/m.test(error.stack ?? "");
  const isOurs = source === undefined && (hasFile || !isPromise);
  const name = error instanceof Error ? error.name : "something that is not an Error";
  if (isOurs) return new FurrowError("E_BUG", { what: `${name}: ${messageOf(error)}`, cause: error });
  return new FurrowError("E_PLAYBOOK", {
    what: isPromise
      ? `a promise that was not awaited was rejected with ${name}`
      : `playbook code that was not awaited threw ${name}`,
    ...(source !== undefined && { where: { source } }),
    current: messageOf(error),
    hint: hintFor(isPromise, source),
    cause: error,
  });
}

function hintFor(isPromise: boolean, source: string | undefined): string {
  if (!isPromise) return "Catch the error where it is thrown";
  if (source !== undefined) return "Await the promise, or catch its error";
  return "Look for a call without `await` in the playbook and its imports, and await it or catch its error";
}

/** Returns an error's message, with the cause added to `fetch failed`, which says little on its own. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? `${error.message}: ${cause.message}` : error.message;
}
