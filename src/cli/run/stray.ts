import { FurrowError, isFurrowError } from "../../core/errors.ts";

/** Receives unhandled errors. Undefined while no run is in progress. */
let taker: ((error: FurrowError) => void) | undefined;

/**
 * Reports unhandled errors (a rejected promise that is not awaited, a timer that throws) as errors of the playbook or of
 * furrow. Node would end the process with a bare stack. During a run {@link Strays} takes them; otherwise the process
 * ends here, with exit code 1.
 */
export function listenForStrays(json: boolean): void {
  process.on("unhandledRejection", (error: unknown) => void tell(error, true, json));
  process.on("uncaughtException", (error: unknown) => void tell(error, false, json));
}

async function tell(error: unknown, isPromise: boolean, json: boolean): Promise<void> {
  const stray = await strayError(error, isPromise);
  if (taker !== undefined) return taker(stray);
  const { printError } = await import("../terminal.ts");
  printError(stray, json);
  process.exit(1);
}

/** Takes the unhandled errors of one run. The first of them ends it. */
export class Strays {
  #error: FurrowError | undefined;

  /** `stop` is called with the first one. */
  constructor(stop: (error: FurrowError) => void) {
    taker = (error) => {
      if (this.#error !== undefined) return;
      this.#error = error;
      stop(error);
    };
  }

  /** The first one so far. */
  get error(): FurrowError | undefined {
    return this.#error;
  }

  /** Throws the first one, if there is one. */
  refuse(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Later ones end the process. */
  release(): void {
    taker = undefined;
  }
}

/** A stack without a user's file means a bug in furrow. Node gives a rejected `fetch` a stack without any file. */
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
      ? `a promise that is not awaited was rejected with ${name}`
      : `code of the playbook that is not awaited threw ${name}`,
    ...(source !== undefined && { where: { source } }),
    current: messageOf(error),
    hint: hintFor(isPromise, source),
    cause: error,
  });
}

function hintFor(isPromise: boolean, source: string | undefined): string {
  if (!isPromise) return "Catch the error where it is thrown";
  if (source !== undefined) return "Await the promise, or catch its error";
  return "Look for a call without `await` in the playbook and what it imports, and await it or catch its error";
}

/** `fetch failed` says little without its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? `${error.message}: ${cause.message}` : error.message;
}
